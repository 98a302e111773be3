import { type ApiDescription, definePlugin, type OpenApiDocument, type Reply, type Route } from '@horarium/core/plugin';

/** The page of each document: rendering takes long, and neither the document nor the address ever changes. */
const pages = new WeakMap<OpenApiDocument, Uint8Array>();

async function replyWith({ openApi, serviceUrl }: ApiDescription): Promise<Reply> {
  const { contentSecurityPolicy, docsPage } = await import('./docs-page.ts');
  const content = pages.get(openApi) ?? new TextEncoder().encode(docsPage(openApi, serviceUrl));
  pages.set(openApi, content);
  return {
    headers: { 'Content-Security-Policy': contentSecurityPolicy },
    bytes: { mime: 'text/html; charset=utf-8', content },
  };
}

/** `GET /docs`, at the root and without authentication. */
export const docsRoute: Route = {
  method: 'GET',
  path: '/docs',
  summary: 'Describe this API to people; the page needs nothing from elsewhere',
  authentication: 'none',
  atRoot: true,
  shape: {
    operation: 'readDocs',
    tag: 'service',
    responses: {
      200: {
        description: 'A page.',
        otherContent: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
      },
    },
  },
  handle: ({ api }) => replyWith(api),
};

/** Serves the documentation of the API as a page. */
export default definePlugin({ name: 'docs', api: 1, routes: () => [docsRoute] });
