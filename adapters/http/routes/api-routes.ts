import { type AnyResource, blamePlugin, conflict, Delivery, Event, Job, type Route, Task } from '@horarium/core';
import { sessionPath } from '../base-path.ts';
import { isExpected } from '../reply/problems.ts';
import { mountPoints } from '../route-paths.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { eventSourceRoutes } from './event-source-routes.ts';
import { jobOutputRoutes } from './job-output-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { membershipRoutes } from './membership-routes.ts';
import { ownPasswordRoutes } from './own-password-routes.ts';
import { resourceRoutes } from './resource-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { changesRoute } from './service/changes-route.ts';
import { metricsPath } from './service/metrics-route.ts';
import { openApiRoutes } from './service/openapi-routes.ts';
import { outlookRoute } from './service/outlook-route.ts';
import { summaryRoute } from './service/summary-route.ts';
import { systemRoutes } from './service/system-routes.ts';
import { undoRoute } from './service/undo-route.ts';
import { whyRoutes } from './service/why-routes.ts';
import { taskActionRoutes } from './task-action-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { timelineRoute } from './timeline-route.ts';

/** The routes of plugins: a registry of them, by method and path. */
export interface PluginRoutes extends Iterable<Route> {
  /** The plugin that brought the route. */
  ownerOf(key: string): string;
}

/**
 * Lists the routes of the whole API: those that follow from the resources, those written by hand, which may replace
 * them, and those of plugins.
 * @throws HorariumError `conflict` naming the plugin whose route is there already.
 */
export function apiRoutes(resources: readonly AnyResource[], plugins: PluginRoutes | null = null): Route[] {
  const derived = resources.flatMap((resource) => resourceRoutes(resource));
  const builtIn = mergeRoutes(derived, [
    ...resources.filter(({ name }) => name === Job.name).flatMap(jobRoutes),
    ...resources.filter(({ name }) => name === Event.name).flatMap(eventRoutes),
    ...jobOutputRoutes,
    ...artifactRoutes,
    ...resources.filter(({ name }) => name === Task.name).flatMap(taskActionRoutes),
    ...taskRoutes,
    timelineRoute,
    ...ownPasswordRoutes,
    ...roleRoutes,
    ...membershipRoutes,
    ...eventSourceRoutes,
    ...resources.filter(({ name }) => name === Delivery.name).flatMap(deliveryRoutes),
    ...loginRoutes,
    summaryRoute,
    outlookRoute,
    ...whyRoutes,
    undoRoute,
    changesRoute,
    ...systemRoutes,
    ...openApiRoutes,
  ]);
  return plugins === null ? builtIn : withPluginRoutes(builtIn, plugins);
}

/**
 * Merges hand-written routes with derived ones; a hand-written one replaces the derived one with the same method and
 * path.
 */
function mergeRoutes(derived: readonly Route[], handWritten: readonly Route[]): Route[] {
  const sameEndpoint = (a: Route) => (b: Route) => a.method === b.method && a.path === b.path;
  return [...derived.filter((route) => !handWritten.some(sameEndpoint(route))), ...handWritten];
}

/** @throws HorariumError `conflict` for a route at a path, other names of its parameters aside, that is taken. */
function withPluginRoutes(builtIn: readonly Route[], plugins: PluginRoutes): Route[] {
  const others = [`GET ${metricsPath}`, ...['GET', 'POST', 'DELETE'].map((method) => `${method} ${sessionPath}`)];
  const taken = new Set([...builtIn.flatMap(mounts), ...others]);
  const contributed: Route[] = [];
  for (const route of plugins) {
    const { method, path } = route;
    const plugin = plugins.ownerOf(`${method} ${path}`);
    if (mounts(route).some((mount) => taken.has(mount)))
      throw conflict(`The plugin ${plugin} provides the route ${method} ${path}, which the API has already.`);
    for (const mount of mounts(route)) taken.add(mount);
    const handle: Route['handle'] = (context) => blamePlugin(plugin, isExpected, async () => route.handle(context));
    contributed.push({ ...route, handle });
  }
  return [...builtIn, ...contributed];
}

function mounts(route: Route): string[] {
  return mountPoints(route, true).map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
}
