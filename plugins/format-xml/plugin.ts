import { definePlugin } from '@horarium/core/plugin';
import { formatXml } from './format-xml.ts';

/** Writes responses in XML. */
export default definePlugin({ name: 'format-xml', api: 1, formats: [formatXml] });
