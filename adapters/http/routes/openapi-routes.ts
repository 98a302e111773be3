import type { Route, RouteContext } from '@horarium/core';
import { docsPage, docsPolicy } from '../docs/docs-page.ts';

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
          description: 'The description.',
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
      value: exchange.openApi,
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
          description: 'A page.',
          otherContent: { 'text/html': { schema: text, example: '<!doctype html>…' } },
        },
      },
    },
    handle: async (exchange) => ({
      headers: { 'Content-Security-Policy': docsPolicy },
      bytes: { mime: 'text/html; charset=utf-8', content: pageOf(exchange) },
    }),
  },
];

const pages = new WeakMap<readonly Route[], Uint8Array>();

function pageOf(exchange: RouteContext): Uint8Array {
  const { routes } = exchange;
  const page = pages.get(routes) ?? new TextEncoder().encode(docsPage(exchange.openApi));
  pages.set(routes, page);
  return page;
}
