import {
  type AnyResource,
  AuditLog,
  type Link,
  type ListLinks,
  pageParameters,
  type QueryParameters,
  type Reply,
  type ResponseLinks,
  type Route,
} from '@horarium/core';
import { changedSearch } from '../request/query.ts';
import { acceptsSuffix, barePath, parameterNames } from '../route-paths.ts';
import type { BaseUrls } from '../service-urls.ts';
import type { Formats } from './formats.ts';

/** The targets of links: the routes under one base path, by their paths, so that each link leads to a route that exists. */
export interface Site {
  /** GET routes under the base path, by their paths without the suffix. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly resources: readonly AnyResource[];
  readonly formats: Formats;
  readonly urls: BaseUrls;
  /** The path at the root where people read about the service; null where nothing documents it. */
  readonly documentation: string | null;
}

export function siteOf(
  routes: readonly Route[],
  resources: readonly AnyResource[],
  formats: Formats,
  urls: BaseUrls,
): Site {
  const pages = routes.filter((route) => route.method === 'GET' && !route.atRoot && !route.hidden);
  const documentation = routes.find((route) => route.atRoot && route.rel === 'service-doc')?.path ?? null;
  return { routes: new Map(pages.map((route) => [barePath(route), route])), resources, formats, urls, documentation };
}

/** A reply, and the request that it answers. */
export interface Answered {
  readonly route: Route;
  /** The path as the client sent it: `/api/v1/company/3.json`. */
  readonly path: string;
  readonly query: QueryParameters;
  /** Null where the path has none. */
  readonly suffix: string | null;
  readonly reply: Reply;
}

const auditLog = AuditLog.names.plural;

/** Builds the links of one response. They are getters, because most formats ask for few of them. */
export class Links implements ResponseLinks {
  readonly #site: Site;
  readonly #suffix: string;
  readonly #answered: Answered | null;

  /**
   * @param suffix of the format of the response.
   * @param answered null for errors, whose links only lead to the sections.
   */
  constructor(site: Site, suffix: string, answered: Answered | null) {
    this.#site = site;
    this.#suffix = suffix;
    this.#answered = answered;
  }

  get formats(): Link[] {
    if (!this.#answered) return [];
    const { route, query } = this.#answered;
    if (route.method !== 'GET' || route.authentication !== 'required' || !acceptsSuffix(route)) return [];
    const path = this.#path(this.#answered);
    return this.#site.formats.all.map((format) => {
      const parameters = [...query].filter(([name, value]) => format.writeList || name !== 'limit' || value !== 'all');
      const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
      return { name: format.suffix, href: this.#site.urls.of(`${path}.${format.suffix}${search}`) };
    });
  }

  get sections(): Link[] {
    const isSection = ([path, route]: [string, Route]) =>
      !path.includes('{') && route.authentication === 'required' && acceptsSuffix(route);
    const { routes, urls, documentation } = this.#site;
    const endpoints = [...routes].filter(isSection).map(([path]) => this.#link(path.slice(1), path));
    if (documentation === null) return endpoints;
    return [...endpoints, { name: documentation.slice(1), href: urls.root + documentation }];
  }

  get up(): Link[] {
    if (!this.#answered) return [];
    const [kind = '', id, ...rest] = this.#path(this.#answered).slice(1).split('/');
    const resource = this.#resourceNamed(kind);
    if (!resource || id === undefined) return [];
    const { plural } = resource.names;
    const list = this.#site.routes.has(`/${plural}`) ? [this.#link(plural, `/${plural}`)] : [];
    return rest.length === 0 ? list : [...list, this.#link(`${kind} ${id}`, `/${kind}/${id}`)];
  }

  get related(): Link[] {
    if (!this.#answered) return [];
    const { route, reply } = this.#answered;
    if (reply.more) return [{ name: 'more', href: this.#withParameters(this.#answered, reply.more) }];
    const id = (reply.value as { id?: unknown } | undefined)?.id;
    const resource = reply.shape?.kind === 'item' ? this.#resourceNamed(reply.shape.name) : undefined;
    if (!resource || typeof id !== 'number' || barePath(route) !== itemPath(resource)) return [];
    return [...this.#subresources(resource, id), ...this.#lists(resource, id)];
  }

  get list(): ListLinks | null {
    const answered = this.#answered;
    const page = answered?.reply.page;
    if (!answered || !page) return null;
    const { route, query } = answered;
    const { total, next, orders } = page;
    return {
      query,
      filters: parameterNames(route).filter((name) => !pageParameters.includes(name)),
      orders,
      total,
      first: query.has('after') || query.has('offset') ? this.#withParameters(answered, {}) : null,
      next: next === null ? null : this.#withParameters(answered, { after: next }),
      with: (changes) => this.#withParameters(answered, changes),
    };
  }

  record(kind: string, id: number): string | null {
    const resource = this.#resourceNamed(kind);
    const route = resource && this.#site.routes.get(itemPath(resource));
    // An entry of the audit log that is about several records has the id 0.
    if (!route || id === 0) return null;
    const path = `/${resource.names.singular}/${id}`;
    return this.#site.urls.of(acceptsSuffix(route) ? `${path}.${this.#suffix}` : path);
  }

  /** Links to the routes beneath the record's own: `/job/5/output`. */
  #subresources({ names }: AnyResource, id: number): Link[] {
    const prefix = `/${names.singular}/{${names.id}}/`;
    const parts = [...this.#site.routes.keys()]
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length));
    return parts
      .filter((name) => !name.includes('{'))
      .map((name) => this.#link(name, `/${names.singular}/${id}/${name}`));
  }

  /** Links to the lists that can be filtered by the record, and to its entries in the audit log. */
  #lists(resource: AnyResource, id: number): Link[] {
    const lists = this.#site.resources.flatMap(({ names, columns }) => {
      const route = this.#site.routes.get(`/${names.plural}`);
      const filters = route ? parameterNames(route) : [];
      const fields = columns.filter(
        ({ name, references }) => filters.includes(name) && refersTo(resource, name, references),
      );
      const isSingle = fields.length === 1 && names.plural !== auditLog;
      return fields.map(({ name }) =>
        this.#link(isSingle ? names.plural : `${names.plural} (${name})`, `/${names.plural}`, `?${name}=${id}`),
      );
    });
    if (!this.#site.routes.has(`/${auditLog}`) || resource.names.plural === auditLog) return lists;
    return [...lists, this.#link('history', `/${auditLog}`, `?entity_type=${resource.name}&entity_id=${id}`)];
  }

  #resourceNamed(kind: string): AnyResource | undefined {
    return this.#site.resources.find(({ name, names }) => name === kind || names.singular === kind);
  }

  /** Returns the path of the request under the base path, without its suffix: `/company/3`. */
  #path({ path, suffix }: Answered): string {
    const trimmed = path.slice(this.#site.urls.basePath.length).replace(/\/$/, '');
    return suffix === null ? trimmed : trimmed.slice(0, -suffix.length - 1);
  }

  /** Returns the URL of the request with other query parameters. */
  #withParameters(answered: Answered, changes: Readonly<Record<string, string | null>>): string {
    const search = changedSearch(answered.query, changes);
    return this.#site.urls.of(`${this.#path(answered)}.${this.#suffix}${search}`);
  }

  #link(name: string, path: string, search = ''): Link {
    return { name, href: this.#site.urls.of(`${path}.${this.#suffix}${search}`) };
  }
}

function itemPath({ names }: AnyResource): string {
  return `/${names.singular}/{${names.id}}`;
}

/**
 * Whether a column identifies records of a resource. The audit log holds plain numbers, which outlive the records that
 * they identify; they are named after the resource.
 */
function refersTo(resource: AnyResource, name: string, references: string | undefined): boolean {
  return references === resource.name || (references === undefined && name === `${resource.names.singular}_id`);
}
