import { docsPage, docsPolicy } from '../docs/docs-page.ts';
import { describeApi, type OpenApi } from '../openapi/document.ts';
import type { Route, RouteContext } from './route.ts';
import { basePath } from './system-routes.ts';

const text = { type: 'string' };

/** The API described to programs and to people. */
export const openApiRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/openapi.{suffix}',
    summary: 'Describe this API to programs, as OpenAPI 3.1',
    authentication: 'required',
    shape: {
      operation: 'getOpenApi',
      tag: 'service',
      responses: {
        200: {
          note: 'The description.',
          body: {
            schema: {
              type: 'object',
              properties: { openapi: text, info: { type: 'object' }, paths: { type: 'object' } },
              required: ['openapi', 'info', 'paths'],
              additionalProperties: true,
            },
            example: { openapi: '3.1.0', info: { title: 'Horarium', version: '0.1.0' }, paths: {} },
          },
        },
      },
    },
    handle: async (exchange) => ({
      value: documentOf(exchange),
      // Writing it takes a tenth of a second, which nobody should be able to make others wait as often as they like.
      cacheable: true,
      shape: { kind: 'item', name: 'openapi', fields: null },
    }),
  },
  {
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
          note: 'A page.',
          others: { 'text/html': { schema: text, example: '<!doctype html>…' } },
        },
      },
    },
    handle: async (exchange) => ({
      headers: { 'Content-Security-Policy': docsPolicy },
      bytes: { mime: 'text/html; charset=utf-8', content: pageOf(exchange) },
    }),
  },
];

const documents = new WeakMap<readonly Route[], OpenApi>();
const pages = new WeakMap<readonly Route[], Uint8Array>();

/** Made once: neither the routes nor the address of a service ever change. */
function documentOf({ routes, formats, resources, core, urlOf }: RouteContext): OpenApi {
  const known = documents.get(routes);
  if (known) return known;
  const publicUrl = urlOf('').slice(0, -basePath.length) || null;
  const made = describeApi({ version: core.version, routes, resources, formats, publicUrl });
  documents.set(routes, made);
  return made;
}

function pageOf(exchange: RouteContext): Uint8Array {
  const { routes } = exchange;
  const page = pages.get(routes) ?? new TextEncoder().encode(docsPage(documentOf(exchange)));
  pages.set(routes, page);
  return page;
}
