import type { RouteShape } from '@horarium/core';

/** The shape of a route that only a test mounts; it permits every reply. */
export function permissiveRouteShape(operation: string, parameters: RouteShape['parameters'] = {}): RouteShape {
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
