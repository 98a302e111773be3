import { type Core, HorariumError, isAdmin, type Route, type RouteShape, type ServiceFigures } from '@horarium/core';
import { Metrics } from '../metrics.ts';

const metricsShape: RouteShape = {
  operation: 'getMetrics',
  tag: 'service',
  errors: [500, 503],
  responses: {
    200: {
      description: 'The figures, in the text format of Prometheus.',
      otherContent: {
        'text/plain': {
          schema: { type: 'string' },
          example: '# TYPE horarium_queue_due_jobs gauge\nhorarium_queue_due_jobs 0\n',
        },
      },
    },
  },
};

/**
 * The figures of a process. Those of the service as a whole tell of every company, so that they are for admins, unless
 * whoever runs the service has opened them to everybody who can reach it.
 */
export function metricsRoute(metrics: Metrics, access: 'token' | 'open'): Route {
  return {
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    authentication: access === 'open' ? 'none' : 'required',
    shape: metricsShape,
    atRoot: true,
    handle: async ({ core, actor }) => {
      const all = access === 'open' || isAdmin(actor);
      const text = await metrics.text(all ? await vitals(core) : null);
      return { bytes: { mime: Metrics.mime, content: new TextEncoder().encode(text) } };
    },
  };
}

/** Null while the database does not answer: what the process knows of itself is wanted then most. */
async function vitals(core: Pick<Core, 'vitals'>): Promise<ServiceFigures | null> {
  try {
    return await core.vitals();
  } catch (error) {
    if (error instanceof HorariumError && error.code === 'unavailable') return null;
    throw error;
  }
}
