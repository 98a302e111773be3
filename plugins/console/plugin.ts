import { definePlugin } from '@horarium/core/plugin';
import { consoleRoutes } from './server/routes.ts';

/** Only what the service itself serves is loaded, and nothing runs that stands in a page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The console: pages at the root of the service, on which people sign in. */
export default definePlugin({
  name: 'console',
  api: 1,
  sessions: true,
  routes: () => consoleRoutes,
  assets: [
    {
      at: '/',
      folder: new URL('.', import.meta.resolve('#console/index.html')),
      page: 'index.html',
      headers: { 'Content-Security-Policy': policy },
    },
  ],
});
