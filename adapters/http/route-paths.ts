import { memoized, type Route } from '@horarium/core';
import { basePath, sessionBasePath } from './base-path.ts';

const suffixMark = '.{suffix}';

/** Whether the path of a request may end in a suffix. */
export function acceptsSuffix(route: Route): boolean {
  return route.path.endsWith(suffixMark) || route.suffixOptional === true;
}

/** Names the query parameters that a route knows. */
export function parameterNames({ shape }: Route): readonly string[] {
  const own = shape.parameters ? Object.keys(shape.parameters) : noNames;
  return shape.dryRun ? [...own, 'dry_run'] : own;
}
const noNames: readonly string[] = [];

/** Returns the documented path without its suffix: `/app/{appId}`. */
export function barePath({ path }: Route): string {
  return path.endsWith(suffixMark) ? path.slice(0, -suffixMark.length) : path;
}

/**
 * Returns the paths to mount for a route, with `:name` for parameters. A suffix behind a parameter is part of that
 * parameter here: `suffixOf` splits it off at its first dot, so that `tar.gz` is one suffix. Behind a word it is a
 * parameter itself.
 */
export function mountPaths(route: Route): string[] {
  const bare = barePath(route).replace(/\{(\w+)\}/g, ':$1');
  const trimmed = bare.replace(/\/$/, '');
  return acceptsSuffix(route) && !bare.includes(':', bare.lastIndexOf('/'))
    ? [trimmed, `${trimmed}.:suffix`]
    : [trimmed];
}

/** The methods of the API as a whole, as the header `Allow` lists them. */
export const allMethods = 'DELETE, GET, HEAD, OPTIONS, POST';

/** The maximum length of a segment of a path; a longer one is 404. */
export const maxParameterLength = 2048;

/** A method and a path, with `:name` for parameters, that a router sends to a route. */
export interface MountPoint {
  readonly method: Route['method'] | 'HEAD';
  readonly path: string;
}

/**
 * Returns where routers mount a route. A route that changes something gets no HEAD: its response has no body, so a login
 * would create a token and not return it. Sessions reach what needs authentication; the rest is for programs alone.
 * @param sessions whether pages may reach the API by sessions.
 */
export function mountPoints(route: Route, sessions: boolean): MountPoint[] {
  const methods = route.method === 'GET' && !route.changes ? (['GET', 'HEAD'] as const) : [route.method];
  const hasSessions = sessions && route.authentication === 'required';
  const bases = route.atRoot ? [''] : hasSessions ? [basePath, sessionBasePath] : [basePath];
  return mountPaths(route).flatMap((path) =>
    methods.flatMap((method) => bases.map((base) => ({ method, path: `${base}${path}` }))),
  );
}

/** Returns the suffix of a request to a route; null when its path has none. */
export function requestSuffix(route: Route, params: Readonly<Record<string, string>>): string | null {
  const last = suffixedParameter(route);
  if (last === '') return params['suffix'] ?? null;
  const value = params[last] ?? '';
  const dot = value.indexOf('.');
  return dot < 0 ? null : value.slice(dot + 1);
}

/** Returns a path parameter of a request to a route, without the suffix behind it. */
export function parameterOf(route: Route, params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name] ?? '';
  const dot = name === suffixedParameter(route) ? value.indexOf('.') : -1;
  return dot < 0 ? value : value.slice(0, dot);
}

/** The parameter that the suffix stands behind; empty when it stands behind a word, or the route accepts none. */
const suffixedParameter = memoized((route: Route) =>
  acceptsSuffix(route) ? (/\{(\w+)\}$/.exec(barePath(route))?.[1] ?? '') : '',
);

/** Returns the suffix of any path, whether or not a route answers it: errors are written in its format. */
export function pathSuffix(path: string): string | null {
  const [, ...rest] = (path.replace(/\/$/, '').split('/').at(-1) ?? '').split('.');
  return rest.length > 0 ? rest.join('.') : null;
}

/** Whether a path under the base path belongs to an endpoint that needs no authentication, whatever the method. */
export function isExempt(routes: readonly Route[], path: string): boolean {
  const [, word] = /^\/([^/.]+)(?:\.[^/]*)?\/?$/.exec(path) ?? [];
  return routes.some((route) => route.authentication === 'none' && !route.atRoot && route.path.startsWith(`/${word}.`));
}

/**
 * Returns the path of a request as logs show it: where it holds the beginning of a route whose path is secret, what follows
 * is left out, whatever the method, and wherever it stands.
 */
export function shownPath(routes: readonly Route[], path: string): string {
  const secret = routes.filter(({ secretPath }) => secretPath).map((route) => barePath(route).split('{')[0] as string);
  const readable = decodedPath(path).toLowerCase();
  const beginning = secret.find((start) => readable.includes(start));
  return beginning === undefined ? path : `${beginning}…`;
}

/** Whether a path belongs to the API of sessions, as routes are matched with it. */
export function isOfSessions(path: string): boolean {
  return `${decodedPath(path)}/`.startsWith(`${sessionBasePath}/`);
}

/** A path as routes are matched with it: `/%70ing` is `/ping`. */
function decodedPath(path: string): string {
  return path.replaceAll(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
