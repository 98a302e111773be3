import { allResources, type OpenApiDocument, type Registries, type Route } from '@horarium/core';
import { Metrics } from '../../adapters/http/metrics.ts';
import { describeApi } from '../../adapters/http/openapi/document.ts';
import { apiRoutes } from '../../adapters/http/routes/api-routes.ts';
import { metricsRoute } from '../../adapters/http/routes/metrics-route.ts';
import { describeRoutes } from '../../adapters/http/routes/system-routes.ts';
import type { Config } from '../config/settings.ts';
import { version } from '../version.ts';

/**
 * Puts together the routes of the HTTP API, those of plugins included. The route of the metrics is added here, because a
 * setting says who may read them.
 */
export function httpRoutes(
  { metrics: access }: Pick<Config, 'metrics'>,
  contributed: Registries['routes'],
  metrics = new Metrics(),
): readonly Route[] {
  return [...apiRoutes(allResources, contributed), metricsRoute(metrics, access)];
}

/** Describes the routes of the API, those of plugins included, without the metrics. */
export function routeRows({ routes }: Pick<Registries, 'routes'>) {
  return describeRoutes(apiRoutes(allResources, routes));
}

/** Describes the HTTP API to programs: the document that the service serves at `/openapi.json`. */
export function openApiDocument(
  config: Config,
  { formats, routes }: Pick<Registries, 'formats' | 'routes'>,
): OpenApiDocument {
  return describeApi({
    version,
    routes: httpRoutes(config, routes),
    resources: allResources,
    formats: [...formats],
    publicUrl: config.public_url,
  });
}
