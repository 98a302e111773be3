import type {
  Actor,
  AnyResource,
  Format,
  ResponseShape,
  SignedIn,
  Subject,
  Tables,
  TransactionHooks,
} from '@horarium/core';
import type { HttpCore } from '../http-core.ts';
import type { Body } from '../request/body.ts';
import type { Query } from '../request/query.ts';
import type { HttpRequest } from '../request/request.ts';
import type { RouteShape } from './route-shape.ts';

/** What a handler is given: a request that may come in, taken apart. */
export interface RouteContext {
  readonly core: HttpCore;
  readonly request: HttpRequest;
  readonly query: Query;
  /** Who calls; on routes without authentication someone who may do nothing. */
  readonly actor: Actor;
  /** Null on routes without authentication. */
  readonly signedIn: SignedIn | null;
  readonly body: Body;
  readonly suffix: string | null;
  readonly routes: readonly Route[];
  /** Every kind of record that is reached through the API, the audit log too. */
  readonly resources: readonly AnyResource[];
  readonly formats: readonly Format[];
  /** An id in the path, by the name that the route gives it. */
  id(name: string): number;
  /** The address of a path under the base path, as clients may follow it. */
  urlOf(path: string): string;
  /**
   * Makes a change, and its answer in the same transaction, so that the request can be answered the same way when it is
   * sent again. Both may be done anew, so they do nothing else.
   */
  inTransaction<T>(
    make: (hooks: TransactionHooks<T>) => Promise<T>,
    reply: (tables: Tables, result: T) => Promise<Reply> | Reply,
  ): Promise<Reply>;
  /**
   * Who calls by now, for answers that go on for long.
   * @throws HttpProblem 401 when what they showed does not count any more.
   */
  actorNow(): Promise<Actor>;
  /** Signs in with credentials that came with this request, for routes that make it their own business. */
  signIn(login: string, password: string): Promise<SignedIn>;
}

export interface Reply {
  /** 200 when left out, 204 when there is no value. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain data, written in the format of the suffix. */
  readonly value?: unknown;
  readonly shape?: ResponseShape;
  /** The value is the same object for every caller and never changes, so that it is written once in each format. */
  readonly cacheable?: boolean;
  /** Rows of a list in place of a value, a page at a time, each read when the one before was written. */
  readonly pages?: AsyncIterable<readonly unknown[]>;
  /** Where a list stands that comes in pages. */
  readonly page?: PageState;
  /** What to ask anew, where there is or will be more than was answered: query parameters. */
  readonly more?: Readonly<Record<string, string>>;
  /** Sent as they are, in place of a value. */
  readonly bytes?: { readonly mime: string; readonly content: Uint8Array };
  /** Sent as it comes, in place of a value. */
  readonly stream?: { readonly mime: string; readonly pieces: AsyncIterable<string> };
  /** The record that was written: who may not write it any more is not given the same answer again. */
  readonly subject?: Subject;
}

/** One page of a list among the others. */
export interface PageState {
  /** How many rows all pages have: `7`, or `10000+`. */
  readonly total: string;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** The fields that the list can be ordered by. */
  readonly orders: readonly string[];
}

/** One row of the API: data that can be printed, and what answers it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Under the base path, as documents write it: `/app/{appId}.{suffix}`. */
  readonly path: string;
  readonly summary: string;
  readonly authentication: 'required' | 'none';
  /** A GET that changes something all the same, so that it is protected like a POST. */
  readonly changes?: boolean;
  /** Without authentication, but with something secret in it that must not travel in the clear. */
  readonly confidential?: (query: Query) => boolean;
  /** Outside the base path: `/healthz`. */
  readonly atRoot?: boolean;
  /** What it takes and gives; the query parameters that it knows are those described there. */
  readonly shape: RouteShape;
  /** Its path is written without a suffix, and one is taken all the same. */
  readonly suffixOptional?: boolean;
  readonly handle: (exchange: RouteContext) => Promise<Reply>;
}

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
