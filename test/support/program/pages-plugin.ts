import { join } from 'node:path';
import { definePlugin } from '@horarium/core/plugin';
import { sourceRoot } from '../../house/source-files.ts';

/** A plugin that has pages, and on which people sign in. */
export default definePlugin({
  name: 'pages',
  api: 1,
  sessions: true,
  assets: [{ at: '/board', folder: join(sourceRoot, 'test/examples/board/public'), page: 'index.html' }],
});
