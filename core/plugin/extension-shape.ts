import { HorariumError } from '../errors.ts';
import { isPlainObject } from '../field/value-path.ts';

/** A member that every extension of a kind must have, or may have. */
export interface Member {
  /** The required form, which completes the message `must be …`: `a function`. */
  readonly is: string;
  readonly optional?: boolean;
  accepts(value: unknown): boolean;
}

/** The members of a kind of extension by name; other members are not checked. */
export type Shape = Readonly<Record<string, Member>>;

/** The pattern of a content type, with parameters where it has some. */
export const contentTypePattern = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/;
/** The pattern of a format's suffix. */
export const suffixPattern = /^[a-z0-9]+(\.[a-z0-9]+)*$/;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const matchesPattern = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const method: Member = { is: 'a function', accepts: (value) => typeof value === 'function' };
const sentence: Member = { is: 'a text', accepts: isText };
const name: Member = { is: 'a name such as http-probe', accepts: matchesPattern(/^[a-z][a-z0-9_-]*$/i) };
const fields: Member = { is: 'an object of fields', accepts: isPlainObject };
const contentType: Member = { is: 'a content type such as text/plain', accepts: matchesPattern(contentTypePattern) };

const optional = (member: Member): Member => ({ ...member, optional: true });

/** The members that each kind of extension must have, by the plugin's member that holds such extensions. */
export const extensionShapes = {
  formats: {
    suffix: { is: 'letters and digits such as json or tar.gz', accepts: matchesPattern(suffixPattern) },
    mime: contentType,
    problemMime: optional(contentType),
    write: method,
    headers: optional(method),
    writeList: optional(method),
  },
  executors: {
    name,
    options: fields,
    start: optional(method),
    keepAlive: optional(method),
    close: optional(method),
    patience: optional(method),
  },
  eventSourceKinds: { name, options: fields, probe: method },
  routes: {
    method: { is: 'GET, POST or DELETE', accepts: (value) => ['GET', 'POST', 'DELETE'].includes(value as string) },
    path: { is: 'a path that begins with a slash', accepts: matchesPattern(/^\//) },
    summary: sentence,
    authentication: { is: 'required or none', accepts: (value) => value === 'required' || value === 'none' },
    shape: { is: 'an object that describes requests and replies', accepts: isPlainObject },
    handle: method,
  },
  importers: {
    name,
    summary: sentence,
    files: sentence,
    options: optional(fields),
    read: method,
    review: optional(method),
  },
  commands: {
    name: { is: 'a name such as app:export', accepts: matchesPattern(/^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)?$/) },
    summary: sentence,
    arguments: optional(fields),
    options: optional(fields),
    run: method,
  },
} satisfies Readonly<Record<string, Shape>>;

/**
 * Checks that an extension has the members of its kind, so that a plugin with a mistake in it stops the start and not
 * the first request.
 * @param kind names it in sentences: `format`. @throws HorariumError `invalid` naming the plugin and the member.
 */
export function checkShape(plugin: string, kind: string, shape: Shape, extension: unknown): void {
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  const mistakeError = (mistake: string) =>
    new HorariumError('invalid', `The plugin ${plugin} brings ${article} ${kind} ${mistake}.`);
  if (typeof extension !== 'object' || extension === null) throw mistakeError('that is not an object');
  for (const [member, { is, optional, accepts }] of Object.entries(shape)) {
    const value = (extension as Readonly<Record<string, unknown>>)[member];
    if (value === undefined && !optional) throw mistakeError(`without ${member}, which must be ${is}`);
    if (value !== undefined && !accepts(value)) throw mistakeError(`whose ${member} is not ${is}`);
  }
}
