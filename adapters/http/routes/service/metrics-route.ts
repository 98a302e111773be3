import {
  type FigureOptions,
  HorariumError,
  isAdmin,
  type PluginCore,
  type Route,
  type RouteShape,
  type ServiceFigures,
} from '@horarium/core';
import { Metrics } from '../../metrics.ts';

export const metricsPath = '/metrics';

const metricsShape: RouteShape = {
  operation: 'getMetrics',
  tag: 'service',
  errors: [403, 500, 503],
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
 * Builds the route of the metrics. They tell of every company, and of who holds the process up, so they are for admins
 * only, unless the operator has opened them to everyone who can reach the service.
 * @param figures what they count of the service.
 */
export function metricsRoute(metrics: Metrics, access: 'token' | 'open', figures: FigureOptions = {}): Route {
  return {
    method: 'GET',
    path: metricsPath,
    summary: 'Figures for Prometheus',
    authentication: access === 'open' ? 'none' : 'required',
    shape: metricsShape,
    atRoot: true,
    handle: async ({ core, actor }) => {
      if (access !== 'open' && !isAdmin(actor))
        throw new HorariumError('denied', `${actor.name} may not read the metrics: that takes the role admin.`);
      const text = await metrics.text(await serviceFigures(core, figures));
      return { bytes: { mime: Metrics.mime, content: new TextEncoder().encode(text) } };
    },
  };
}

/**
 * Reads the figures of the service; null while the database does not answer, because the metrics of the process are
 * needed most then.
 */
async function serviceFigures(core: PluginCore, options: FigureOptions): Promise<ServiceFigures | null> {
  try {
    return await core.figures(options);
  } catch (error) {
    if (error instanceof HorariumError && error.code === 'unavailable') return null;
    throw error;
  }
}
