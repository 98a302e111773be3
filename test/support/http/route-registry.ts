import type { Route } from '@horarium/core';
import { Registry } from '#core/registry/registry';

/** Registers routes as one plugin would. */
export function routeRegistry(plugin: string, ...routes: readonly Route[]): Registry<Route> {
  const registry = new Registry<Route>('route');
  for (const route of routes) registry.put(`${route.method} ${route.path}`, route, plugin);
  return registry;
}
