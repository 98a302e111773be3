import { definePlugin } from '@horarium/core/plugin';

/** A plugin that has pages, of which only the sessions matter here. */
export default definePlugin({ name: 'pages', api: 1, sessions: true });
