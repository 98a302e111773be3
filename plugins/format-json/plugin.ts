import { definePlugin } from '@horarium/core/plugin';
import { formatJson } from './format-json.ts';

/** Writes responses in JSON. */
export default definePlugin({ name: 'format-json', api: 1, formats: [formatJson] });
