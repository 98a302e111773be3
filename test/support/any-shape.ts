import type { RouteShape } from '@horarium/core';

/** The description of a row that only a test has: it may answer anything. */
export function anyShape(operation: string, parameters: RouteShape['parameters'] = {}): RouteShape {
  return {
    operation,
    tag: 'service',
    parameters,
    responses: {
      200: {
        description: 'Whatever the test wants.',
        body: { schema: {}, example: null },
        otherContent: { 'text/plain': { schema: { type: 'string' }, example: '' } },
      },
    },
  };
}
