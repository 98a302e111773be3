import { definePlugin } from '@horarium/core/plugin';
import { formatHtml } from './format-html.ts';

/** Writes responses in HTML, for people with a browser. */
export default definePlugin({ name: 'format-html', api: 1, formats: [formatHtml] });
