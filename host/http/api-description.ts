import type { AnyResource, OpenApiDocument, Registries, Route } from '@horarium/core';
import { Metrics } from '../../adapters/http/metrics.ts';
import { describeApi } from '../../adapters/http/openapi/document.ts';
import { apiRoutes } from '../../adapters/http/routes/api-routes.ts';
import { metricsRoute } from '../../adapters/http/routes/service/metrics-route.ts';
import { describeRoutes } from '../../adapters/http/routes/service/system-routes.ts';
import type { Config } from '../config/settings.ts';
import { version } from '../version.ts';

/**
 * Combines the routes of the HTTP API, those of plugins included. The route of the metrics is added here, because a
 * setting decides who may read them.
 */
export function httpRoutes(
  resources: readonly AnyResource[],
  { metrics: access, metrics_tasks = 'company' }: Pick<Config, 'metrics'> & Partial<Pick<Config, 'metrics_tasks'>>,
  pluginRoutes: Registries['routes'],
  metrics = new Metrics(),
): readonly Route[] {
  return [
    ...apiRoutes(resources, pluginRoutes),
    metricsRoute(metrics, access, { byTemplate: metrics_tasks === 'template' }),
  ];
}

/** Describes the routes of the API, those of plugins included, without the metrics. */
export function routeRows(resources: readonly AnyResource[], { routes }: Pick<Registries, 'routes'>) {
  return describeRoutes(apiRoutes(resources, routes));
}

/** Describes the HTTP API to programs: the document that the service serves at `/openapi.json`. */
export function openApiDocument(
  resources: readonly AnyResource[],
  config: Config,
  { formats, routes }: Pick<Registries, 'formats' | 'routes'>,
): OpenApiDocument {
  return describeApi({
    version,
    routes: httpRoutes(resources, config, routes),
    resources,
    formats: [...formats],
    publicUrl: config.public_url,
  });
}
