import { definePlugin } from '@horarium/core/plugin';

/** Serves a page that shows whether the service is ready: `/board/`. */
export default definePlugin({
  name: 'board',
  api: 1,
  assets: [
    {
      at: '/board',
      folder: new URL('./public/', import.meta.url),
      page: 'index.html',
      headers: { 'Content-Security-Policy': "default-src 'self'; base-uri 'self'; frame-ancestors 'none'" },
    },
  ],
});
