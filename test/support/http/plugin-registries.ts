import type { Route, StaticAssets } from '@horarium/core';
import { Registry } from '#core/registry/registry';

/** Registers routes as one plugin would. */
export function routeRegistry(plugin: string, ...routes: readonly Route[]): Registry<Route> {
  const registry = new Registry<Route>('route');
  for (const route of routes) registry.put(`${route.method} ${route.path}`, route, plugin);
  return registry;
}

/** Registers assets as one plugin would. */
export function assetRegistry(plugin: string, ...assets: readonly StaticAssets[]): Registry<StaticAssets> {
  const registry = new Registry<StaticAssets>('folder of assets');
  for (const each of assets) registry.put(each.at, each, plugin);
  return registry;
}
