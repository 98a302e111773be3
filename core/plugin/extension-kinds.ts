import { HorariumError } from '../errors.ts';
import { type Fields, metaOf } from '../field/field-meta.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { Plugin } from './define-plugin.ts';

/** A member that every extension of a kind must have, or may have. */
interface Member {
  /** The required form, which completes the message `must be …`: `a function`. */
  readonly is: string;
  readonly optional?: boolean;
  accepts(value: unknown): boolean;
}

/** The members of an extension by name; other members are not checked. */
type Shape = Readonly<Record<string, Member>>;
/** A shape that describes every required member of a type, or of one type of a union. */
type ShapeOf<E> = E extends unknown ? Shape & { readonly [K in RequiredKeys<E>]: Member } : never;
type RequiredKeys<E> = { [K in keyof E]-?: undefined extends E[K] ? never : K }[keyof E];

/** The pattern of a content type, with parameters where it has some. */
export const contentTypePattern = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/;
/** The pattern of a format's suffix. */
export const suffixPattern = /^[a-z0-9]+(\.[a-z0-9]+)*$/;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isPositive = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const matchesPattern = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const method: Member = { is: 'a function', accepts: (value) => typeof value === 'function' };
const sentence: Member = { is: 'a text', accepts: isText };
const name: Member = { is: 'a name such as http-probe', accepts: matchesPattern(/^[a-z][a-z0-9_-]*$/i) };
const isFlag: Member = { is: 'true or false', accepts: (value) => typeof value === 'boolean' };
const variableGroups: Member = {
  is: 'a list of groups of variables, each with programs, effect and names',
  accepts: (value) =>
    Array.isArray(value) && value.every(({ names, programs }) => Array.isArray(names) && isText(programs)),
};
const fields: Member = { is: 'an object of fields', accepts: isPlainObject };
const contentType: Member = { is: 'a content type such as text/plain', accepts: matchesPattern(contentTypePattern) };

const resourceMember: Member = {
  is: 'made by defineResource',
  accepts: (value) =>
    isPlainObject(value) && [value['name'], value['table']].every(isText) && Array.isArray(value['columns']),
};
const fieldsMember: Member = {
  is: 'made by defineFields',
  accepts: (value) => resourceMember.accepts(value) && resourceMember.accepts((value as { of?: unknown }).of),
};
const migrations: Member = {
  is: 'a list of migrations, each with a name such as 20261126-color and lists of statements as sqlite and postgresql',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every(
      ({ name, sqlite, postgresql }) =>
        matchesPattern(/^[a-z0-9-]{1,64}$/)(name) &&
        [sqlite, postgresql].every((statements) => Array.isArray(statements) && statements.every(isText)),
    ),
};

/** The names of some of the options that an extension has. */
const optionsOf = (extension: object): Member => ({
  is: 'a list of its options',
  accepts: (value) => {
    const { options } = extension as { options?: unknown };
    return Array.isArray(value) && value.every((name) => isPlainObject(options) && Object.hasOwn(options, name));
  },
});
const actionFields: Member = {
  is: 'an object of fields, none of them action or id, which each list has',
  accepts: (value) => isPlainObject(value) && !('action' in value) && !('id' in value),
};

const ruleFields: Member = {
  is: 'an object of fields, none of them secret, nor rule, which each use has',
  accepts: (value) =>
    isPlainObject(value) &&
    !('rule' in value) &&
    Object.values(value as Fields).every((field) => metaOf(field).secret === undefined),
};

const headers: Member = {
  is: 'an object of headers',
  accepts: (value) =>
    isPlainObject(value) &&
    Object.entries(value).every(
      ([name, text]) => matchesPattern(/^[\w-]+$/)(name) && matchesPattern(/^[\x20-\x7e]+$/)(text),
    ),
};

const optional = (member: Member): Member => ({ ...member, optional: true });

/** The extension of a plugin's member: the member is a list of them, or a function that makes the list at the start. */
type Listed<E> = E extends (setup: never) => infer L ? Listed<L> : E extends readonly (infer T)[] ? T : never;

/** The members of a plugin that hold extensions: the lists of objects, and the functions that return one. */
export type ExtensionMember = {
  [M in keyof Plugin]-?: [Listed<NonNullable<Plugin[M]>>] extends [never] ? never : M;
}[keyof Plugin];
export type ExtensionOf<M extends ExtensionMember> = Listed<NonNullable<Plugin[M]>>;

interface ExtensionKind<M extends ExtensionMember, E = ExtensionOf<M>> {
  /** Names one extension in sentences: `format`. */
  readonly name: string;
  /** Whether the plugin gives a list, or a function that makes it when the service starts, or either. */
  readonly given: NonNullable<Plugin[M]> extends readonly unknown[]
    ? 'list'
    : Extract<NonNullable<Plugin[M]>, readonly unknown[]> extends never
      ? 'function'
      : 'list or function';
  /** The key under which the extension is registered. */
  keyOf(extension: E): string;
  /** Which members an extension has; called with any object. */
  shapeOf(extension: object): ShapeOf<E>;
}

const nativeExecutor = {
  name,
  options: fields,
  forbiddenVariables: optional(variableGroups),
  start: method,
  recognizes: optional(method),
  addressOf: optional(method),
  takesFiles: optional(isFlag),
  userRefusal: optional(method),
  missingProgram: optional(method),
  refuse: optional(method),
  keepAlive: optional(method),
  close: optional(method),
};
const limits: Member = { is: 'an object of limits', accepts: isPlainObject };
/** The attempts of such an executor run elsewhere; see `ExternalExecutor`. */
const externalExecutor = { name, options: fields, limits, heartbeatTimeout: method, contentTypeOf: method };
/** The attempts of such an executor run on agents; see `AgentExecutor`. */
const agentExecutor = { name, options: fields, limits, assignment: method, placementRefusal: optional(method) };

function executorShape(executor: object) {
  if ('start' in executor) return nativeExecutor;
  if ('assignment' in executor) return agentExecutor;
  return 'limits' in executor || 'heartbeatTimeout' in executor ? externalExecutor : nativeExecutor;
}

/** The kinds of extensions, by the plugin's member that holds them. A new kind is described here and in `Plugin`. */
export const extensionKinds: { readonly [M in ExtensionMember]: ExtensionKind<M> } = {
  formats: {
    name: 'format',
    given: 'list',
    keyOf: ({ suffix }) => suffix,
    shapeOf: () => ({
      suffix: { is: 'letters and digits such as json or tar.gz', accepts: matchesPattern(suffixPattern) },
      mime: contentType,
      problemMime: optional(contentType),
      write: method,
      headers: optional(method),
      writeList: optional(method),
      rowsAtOnce: optional({ is: 'a whole number from 1 on', accepts: isPositive }),
    }),
  },
  executors: {
    name: 'executor',
    given: 'function',
    keyOf: (executor) => executor.name,
    shapeOf: executorShape,
  },
  eventSourceKinds: {
    name: 'event source kind',
    given: 'function',
    keyOf: (kind) => kind.name,
    shapeOf: (kind) => ({
      name,
      options: fields,
      address: optional(optionsOf(kind)),
      probe: method,
      open: optional(method),
    }),
  },
  actions: {
    name: 'action',
    given: 'function',
    keyOf: (action) => action.name,
    shapeOf: (action) => ({
      name,
      options: actionFields,
      adminOnly: optional(isFlag),
      address: optional(optionsOf(action)),
      refuse: optional(method),
      endpoint: optional(method),
      digestInterval: optional(method),
      deliver: method,
    }),
  },
  calendarRules: {
    name: 'calendar rule',
    given: 'list',
    keyOf: (rule) => rule.name,
    shapeOf: () => ({ name, options: ruleFields, refuse: optional(method), daysOff: method }),
  },
  routes: {
    name: 'route',
    given: 'function',
    keyOf: (route) => `${route.method} ${route.path}`,
    shapeOf: () => ({
      method: { is: 'GET, POST or DELETE', accepts: (value) => ['GET', 'POST', 'DELETE'].includes(value as string) },
      path: { is: 'a path that begins with a slash', accepts: matchesPattern(/^\//) },
      summary: sentence,
      hidden: optional(isFlag),
      rel: optional({ is: 'service-doc', accepts: (value) => value === 'service-doc' }),
      authentication: { is: 'required or none', accepts: (value) => value === 'required' || value === 'none' },
      shape: { is: 'an object that describes requests and replies', accepts: isPlainObject },
      handle: method,
    }),
  },
  assets: {
    name: 'folder of assets',
    given: 'list',
    keyOf: ({ at }) => at,
    shapeOf: () => ({
      at: { is: 'a path such as / or /board', accepts: matchesPattern(/^\/$|^(\/[a-z0-9_-]+)+$/i) },
      folder: {
        is: 'a file: URL or an absolute path',
        accepts: (value) => (value instanceof URL ? value.protocol === 'file:' : matchesPattern(/^\//)(value)),
      },
      page: optional({ is: 'the name of a file such as index.html', accepts: isText }),
      headers: optional(headers),
    }),
  },
  tickers: {
    name: 'ticker',
    given: 'function',
    keyOf: (ticker) => ticker.name,
    shapeOf: () => ({
      name,
      interval: { is: 'a whole number of milliseconds from 1 on', accepts: isPositive },
      tick: method,
    }),
  },
  gauges: {
    name: 'gauge',
    given: 'function',
    keyOf: (gauge) => gauge.name,
    shapeOf: () => ({
      name: { is: 'a name such as waiting_mails', accepts: matchesPattern(/^[a-z][a-z0-9_]*$/) },
      help: sentence,
      read: method,
    }),
  },
  checks: {
    name: 'check',
    given: 'function',
    keyOf: (check) => check.name,
    shapeOf: () => ({ name: sentence, advice: sentence, readsStore: optional(isFlag), run: method }),
  },
  resources: {
    name: 'resource',
    given: 'list',
    keyOf: ({ resource }) => resource.name,
    shapeOf: () => ({ resource: resourceMember, migrations }),
  },
  fields: {
    name: 'table of fields',
    given: 'list',
    keyOf: ({ fields: { name } }) => name,
    shapeOf: () => ({ fields: fieldsMember, migrations }),
  },
  importers: {
    name: 'importer',
    given: 'list',
    keyOf: (importer) => importer.name,
    shapeOf: () => ({
      name,
      summary: sentence,
      filesHelp: sentence,
      options: optional(fields),
      read: method,
      review: optional(method),
    }),
  },
  commands: {
    name: 'command',
    given: 'list or function',
    keyOf: (command) => command.name,
    shapeOf: () => ({
      name: { is: 'a name such as app:export', accepts: matchesPattern(/^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)?$/) },
      summary: sentence,
      arguments: optional(fields),
      options: optional(fields),
      run: method,
    }),
  },
};

export const extensionMembers = Object.keys(extensionKinds) as ExtensionMember[];

/**
 * Checks that an extension has the members of its kind, so that a plugin with a mistake in it stops the start and not
 * the first request. @throws HorariumError `invalid` naming the plugin and the member.
 */
export function checkExtension(plugin: string, member: ExtensionMember, extension: unknown): void {
  const { name: kind, shapeOf } = extensionKinds[member];
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  const mistakeError = (mistake: string) =>
    new HorariumError('invalid', `The plugin ${plugin} provides ${article} ${kind} ${mistake}.`);
  if (typeof extension !== 'object' || extension === null) throw mistakeError('that is not an object');
  for (const [property, { is, optional, accepts }] of Object.entries(shapeOf(extension))) {
    const value = (extension as Readonly<Record<string, unknown>>)[property];
    if (value === undefined && !optional) throw mistakeError(`without ${property}, which must be ${is}`);
    if (value !== undefined && !accepts(value)) throw mistakeError(`whose ${property} is not ${is}`);
  }
}
