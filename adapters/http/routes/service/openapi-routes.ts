import type { Route } from '@horarium/core';
import { textSchema } from '../../openapi/json-schemas.ts';

/** Serves the description of the API, for programs. */
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
    handle: async ({ api }) => ({
      value: api.openApi,
      // The written document is stored, because writing it takes a tenth of a second, during which every other request
      // would wait.
      cacheable: true,
      shape: { kind: 'item', name: 'openapi', fields: null },
    }),
  },
];
