import type { OpenApiDocument, Route } from '@horarium/core';
import { docsPage, docsPolicy } from '../docs/docs-page.ts';
import { textSchema } from '../openapi/json-schemas.ts';

/** The description of the API, for programs and for people. */
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
              properties: { openapi: textSchema, info: { type: 'object' }, paths: { type: 'object' } },
              required: ['openapi', 'info', 'paths'],
              additionalProperties: true,
            },
            example: { openapi: '3.1.0', info: { title: 'Horarium', version: '0.1.0' }, paths: {} },
          },
        },
      },
    },
    handle: async ({ openApi }) => ({
      value: openApi,
      // Writing it takes a tenth of a second, during which every other request would wait.
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
          otherContent: { 'text/html': { schema: textSchema, example: '<!doctype html>…' } },
        },
      },
    },
    handle: async ({ openApi }) => ({
      headers: { 'Content-Security-Policy': docsPolicy },
      bytes: { mime: 'text/html; charset=utf-8', content: pageOf(openApi) },
    }),
  },
];

const pages = new WeakMap<OpenApiDocument, Uint8Array>();

function pageOf(document: OpenApiDocument): Uint8Array {
  const page = pages.get(document) ?? new TextEncoder().encode(docsPage(document));
  pages.set(document, page);
  return page;
}
