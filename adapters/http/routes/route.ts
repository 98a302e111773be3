import type { Route } from '@horarium/core';

/** Hand-written rows take the place of derived ones with the same method and path. */
export function mergeRoutes(derived: readonly Route[], written: readonly Route[]): Route[] {
  const same = (one: Route) => (other: Route) => one.method === other.method && one.path === other.path;
  return [...derived.filter((route) => !written.some(same(route))), ...written];
}

const suffixMark = '.{suffix}';

/** Whether the path of a request may end in a suffix. */
export function takesSuffix(route: Route): boolean {
  return route.path.endsWith(suffixMark) || route.suffixOptional === true;
}

/** The query parameters that a route knows. */
export function parametersOf({ shape }: Route): readonly string[] {
  return shape.parameters ? Object.keys(shape.parameters) : none;
}
const none: readonly string[] = [];

/** The path without its suffix. */
export function barePath({ path }: Route): string {
  return path.endsWith(suffixMark) ? path.slice(0, -suffixMark.length) : path;
}

/**
 * The paths to mount for a route, with `:name` for parameters. A suffix behind a parameter is part of that parameter
 * here (`suffixIn` takes it off, at its first dot, so that `tar.gz` is one suffix); behind a word it is its own.
 */
export function mountPaths(route: Route): string[] {
  const bare = barePath(route).replace(/\{(\w+)\}/g, ':$1');
  const trimmed = bare.replace(/\/$/, '');
  return takesSuffix(route) && !endsInParameter(route) ? [trimmed, `${trimmed}.:suffix`] : [trimmed];
}

/** The suffix of a request to this route; null when the path has none. */
export function suffixIn(route: Route, params: Readonly<Record<string, string>>): string | null {
  const last = suffixedParameter(route);
  if (last === null) return params['suffix'] ?? null;
  const value = params[last] ?? '';
  const dot = value.indexOf('.');
  return dot < 0 ? null : value.slice(dot + 1);
}

/** A parameter of a request to this route, without the suffix that may stand behind it. */
export function parameterIn(route: Route, params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name] ?? '';
  const dot = name === suffixedParameter(route) ? value.indexOf('.') : -1;
  return dot < 0 ? value : value.slice(0, dot);
}

/** The parameter that the suffix of a route stands behind; null when it stands behind a word, or there is none. */
function suffixedParameter(route: Route): string | null {
  let name = suffixed.get(route);
  if (name === undefined) {
    name = takesSuffix(route) ? (/\{(\w+)\}$/.exec(barePath(route))?.[1] ?? null) : null;
    suffixed.set(route, name);
  }
  return name;
}
const suffixed = new WeakMap<Route, string | null>();

function endsInParameter(route: Route): boolean {
  return barePath(route).endsWith('}');
}

/** The suffix that a path ends in, whatever it leads to: for errors, which are written in the suffix's format. */
export function suffixOf(path: string): string | null {
  const [, ...rest] = (path.replace(/\/$/, '').split('/').at(-1) ?? '').split('.');
  return rest.length > 0 ? rest.join('.') : null;
}

/** The table as people read it and as `/index` answers it. */
export function describeRoutes(routes: readonly Route[], basePath: string) {
  return routes.map(({ method, path, summary: purpose, authentication, atRoot: outside }) => ({
    method,
    path: outside ? path : `${basePath}${path}`,
    purpose,
    authentication,
  }));
}

/** Whether a path under the base path belongs to an endpoint that needs no authentication, with whatever method. */
export function isExempt(routes: readonly Route[], path: string): boolean {
  const [, word] = /^\/([^/.]+)(?:\.[^/]*)?\/?$/.exec(path) ?? [];
  return routes.some((route) => route.authentication === 'none' && !route.atRoot && route.path.startsWith(`/${word}.`));
}
