import {
  type AnyResource,
  AuditLog,
  type Link,
  type ListLinks,
  type QueryParameters,
  type Reply,
  type ResponseLinks,
  type Route,
} from '@horarium/core';
import { changedSearch } from '../request/paging.ts';
import { barePath, parametersOf, takesSuffix } from '../routes/route.ts';
import { basePath } from '../routes/system-routes.ts';
import type { Formats } from './formats.ts';
import { listLinks } from './list-links.ts';

/** What was answered, and to what. */
export interface Answered {
  readonly route: Route;
  /** Under the base path, without the suffix: `/company/3`. */
  readonly path: string;
  readonly query: QueryParameters;
  readonly suffix: string;
  readonly reply: Reply;
}

const log = AuditLog.names.plural;

/** What is written for programs only; people have a page of their own for it. */
const forPrograms: ReadonlySet<string> = new Set(['openapi']);
/** What people look for first. */
const first = ['tasks', 'tasks/summary', 'jobs', 'runtemplates', 'apps', 'companies'];

/** Knows where one can go from an answer. It reads the table of routes, so what it names exists. */
export class LinkBuilder {
  readonly #resources: readonly AnyResource[];
  readonly #formats: Formats;
  readonly #urlOf: (path: string) => string;
  /** GET routes, by their paths without the suffix. */
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(
    routes: readonly Route[],
    resources: readonly AnyResource[],
    formats: Formats,
    urlOf: (path: string) => string,
  ) {
    const open = routes.filter((route) => route.method === 'GET' && !route.atRoot);
    this.#routes = new Map(open.map((route) => [barePath(route), route]));
    this.#resources = resources;
    this.#formats = formats;
    this.#urlOf = urlOf;
  }

  /** From an error one can only begin again. */
  ofProblem(suffix: string): ResponseLinks {
    const none = { formats: [], up: [], related: [], list: null };
    return { ...none, sections: this.sections(suffix), record: (kind, id) => this.record(kind, id, suffix) };
  }

  /** Worked out when a format asks for it: most do not. */
  of(answered: Answered): ResponseLinks {
    return new LinksOf(this, answered);
  }

  /** The same in each format. */
  inFormats({ route, path, query }: Answered): Link[] {
    if (route.method !== 'GET' || route.authentication !== 'required' || !takesSuffix(route)) return [];
    return this.#formats.all.map((format) => {
      const kept = [...query].filter(([name, value]) => format.writeList || name !== 'limit' || value !== 'all');
      const search = kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
      return { name: format.suffix, href: this.#urlOf(`${path}.${format.suffix}${search}`) };
    });
  }

  /** All that can be begun with. */
  sections(suffix: string): Link[] {
    const suits = ([path, route]: [string, Route]) =>
      !path.includes('{') && route.authentication === 'required' && takesSuffix(route);
    const all = [...this.#routes].filter(suits).map(([path]) => path.slice(1));
    const names = all.filter((name) => !forPrograms.has(name));
    const sorted = [...first.filter((name) => names.includes(name)), ...names.filter((name) => !first.includes(name))];
    const docs = { name: 'docs', href: `${this.#urlOf('').slice(0, -basePath.length)}/docs` };
    return [...sorted.map((name) => this.#link(name, `/${name}`, suffix)), docs];
  }

  /** What it is a part of. */
  up({ path, suffix }: Answered): Link[] {
    const [word = '', id, ...more] = path.slice(1).split('/');
    const resource = this.#named(word);
    if (!resource || id === undefined) return [];
    const { plural: many } = resource.names;
    const list = this.#routes.has(`/${many}`) ? [this.#link(many, `/${many}`, suffix)] : [];
    return more.length === 0 ? list : [...list, this.#link(`${word} ${id}`, `/${word}/${id}`, suffix)];
  }

  /** What belongs to a single record, or the rest of what it shows only a part of. */
  related({ route, path, query, reply, suffix }: Answered): Link[] {
    if (reply.more)
      return [{ name: 'more', href: this.#urlOf(`${path}.${suffix}${changedSearch(query, reply.more)}`) }];
    const id = (reply.value as { id?: unknown } | undefined)?.id;
    const resource = reply.shape?.kind === 'item' ? this.#named(reply.shape.name) : undefined;
    if (!resource || typeof id !== 'number' || barePath(route) !== itemPath(resource)) return [];
    return [...this.#parts(resource, id, suffix), ...this.#lists(resource, id, suffix)];
  }

  /** What has its path beneath the record's: `/job/5/output`. */
  #parts({ names: words }: AnyResource, id: number, suffix: string): Link[] {
    const begin = `/${words.singular}/{${words.id}}/`;
    const names = [...this.#routes.keys()]
      .filter((path) => path.startsWith(begin))
      .map((path) => path.slice(begin.length));
    return names
      .filter((name) => !name.includes('{'))
      .map((name) => this.#link(name, `/${words.singular}/${id}/${name}`, suffix));
  }

  /** Lists that can be filtered by the record, and what became of it over time. */
  #lists(resource: AnyResource, id: number, suffix: string): Link[] {
    const lists = this.#resources.flatMap(({ names: words, columns }) => {
      const route = this.#routes.get(`/${words.plural}`);
      const known = route ? parametersOf(route) : [];
      const fields = columns.filter(
        ({ name, references }) => known.includes(name) && refersTo(resource, name, references),
      );
      const only = fields.length === 1 && words.plural !== log;
      return fields.map(({ name }) =>
        this.#link(only ? words.plural : `${words.plural} (${name})`, `/${words.plural}`, suffix, `?${name}=${id}`),
      );
    });
    if (!this.#routes.has(`/${log}`) || resource.names.plural === log) return lists;
    return [...lists, this.#link('history', `/${log}`, suffix, `?entity_type=${resource.name}&entity_id=${id}`)];
  }

  /** The address of a record. */
  record(kind: string, id: number, suffix: string): string | null {
    const resource = this.#named(kind);
    const route = resource && this.#routes.get(itemPath(resource));
    if (!route) return null;
    return this.#urlOf(`/${resource.names.singular}/${id}${takesSuffix(route) ? `.${suffix}` : ''}`);
  }

  #named(kind: string): AnyResource | undefined {
    return this.#resources.find(({ name, names: words }) => name === kind || words.singular === kind);
  }

  /** Where a list leads. */
  list(answered: Answered): ListLinks | null {
    return answered.reply.page ? listLinks(answered, answered.reply.page, this.#urlOf) : null;
  }

  #link(name: string, path: string, suffix: string, search = ''): Link {
    return { name, href: this.#urlOf(`${path}.${suffix}${search}`) };
  }
}

/** Getters of a class: those of an object would be made anew for every answer, and hardly any of them is asked for. */
class LinksOf implements ResponseLinks {
  readonly #signposts: LinkBuilder;
  readonly #answered: Answered;

  constructor(signposts: LinkBuilder, answered: Answered) {
    this.#signposts = signposts;
    this.#answered = answered;
  }

  get formats(): Link[] {
    return this.#signposts.inFormats(this.#answered);
  }

  get sections(): Link[] {
    return this.#signposts.sections(this.#answered.suffix);
  }

  get up(): Link[] {
    return this.#signposts.up(this.#answered);
  }

  get related(): Link[] {
    return this.#signposts.related(this.#answered);
  }

  get list(): ListLinks | null {
    return this.#signposts.list(this.#answered);
  }

  record(kind: string, id: number): string | null {
    return this.#signposts.record(kind, id, this.#answered.suffix);
  }
}

function itemPath({ names: words }: AnyResource): string {
  return `/${words.singular}/{${words.id}}`;
}

/** The audit log keeps plain numbers, which outlive what they speak of; they are named after it. */
function refersTo(resource: AnyResource, name: string, references: string | undefined): boolean {
  return references === resource.name || (references === undefined && name === `${resource.names.singular}_id`);
}
