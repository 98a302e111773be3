import type { RouteShape } from '../../adapters/http/routes/route-shape.ts';

/** The description of a row that only a test has: it may answer anything. */
export function anyShape(operation: string, parameters: RouteShape['parameters'] = {}): RouteShape {
  return {
    operation,
    tag: 'service',
    parameters,
    responses: {
      200: {
        note: 'Whatever the test wants.',
        body: { schema: {}, example: null },
        others: { 'text/plain': { schema: { type: 'string' }, example: '' } },
      },
    },
  };
}
