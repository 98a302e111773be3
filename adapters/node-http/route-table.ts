import type { Route } from '@horarium/core';
import findMyWay from 'find-my-way';
import { maxParameterLength, mountPoints } from '../http/route-paths.ts';

/** A route, and the values of its path parameters in a path that leads to it. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a request. */
export class RouteTable {
  readonly #router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: maxParameterLength });

  /** @param sessions whether pages may reach the API by sessions. */
  constructor(routes: readonly Route[], sessions: boolean) {
    for (const route of routes)
      for (const { method, path } of mountPoints(route, sessions))
        this.#router.on(method, path, () => undefined, route);
  }

  find(method: string, path: string): RouteMatch | null {
    const found = this.#router.find(method as findMyWay.HTTPMethod, path);
    return found && { route: found.store, params: found.params as Record<string, string> };
  }

  /** Returns the methods of a path, as the header `Allow` lists them; null for a path of no route. */
  allowedMethods(path: string): string | null {
    return ['DELETE', 'GET', 'HEAD', 'POST'].filter((method) => this.find(method, path)).join(', ') || null;
  }
}
