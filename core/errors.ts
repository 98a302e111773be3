/** What went wrong. Each channel translates it: HTTP to a status, the CLI to an exit code. */
export type ErrorCode =
  | 'bad_request'
  | 'invalid'
  | 'unauthenticated'
  | 'denied'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'too_many_requests'
  | 'unavailable';

/** One invalid field: its path (`environment.KEY.type`) and a sentence that says why it is invalid. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/**
 * The error class of the core: a mistake of the caller or a state of the world, never a bug.
 * The message is a sentence that names the culprit and may be shown to the caller.
 */
export class HorariumError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];

  constructor(code: ErrorCode, message: string, errors: readonly FieldError[] = []) {
    super(message);
    this.name = 'HorariumError';
    this.code = code;
    this.errors = errors;
  }
}

/** The maximum errors that one response names; more are only counted. */
const maxNamed = 100;

/** A request whose form is wrong for every caller. */
export function badRequest(message: string): HorariumError {
  return new HorariumError('bad_request', message);
}

/**
 * The error of invalid input, with one entry for each invalid field.
 * @param subject has the invalid fields, such as `App`: the message begins with it.
 */
export function invalid(subject: string, errors: readonly FieldError[]): HorariumError {
  const messages = new Map<string, string>();
  for (const { field, message } of errors.slice(0, maxNamed)) {
    const known = messages.get(field);
    messages.set(field, known === undefined ? message : `${known}; ${message}`);
  }
  const merged = [...messages].map(([field, message]) => ({ field, message }));
  const sentence = merged.map(sentenceOf).join('; ');
  const more = errors.length > maxNamed ? `; and ${errors.length - maxNamed} more` : '';
  return new HorariumError('invalid', `${subject} is invalid: ${sentence}${more}`, merged);
}

/** Puts the field before the message, unless the message begins with it already. */
function sentenceOf({ field, message }: FieldError): string {
  return /^[ :]/.test(message.slice(field.length)) && message.startsWith(field) ? message : `${field}: ${message}`;
}

/** The record does not exist, or the caller may not see it: one message for both. */
export function notFound(resource: string, id: number | string): HorariumError {
  return new HorariumError('not_found', `There is no ${resource} ${id}.`);
}

export function denied(message: string): HorariumError {
  return new HorariumError('denied', message);
}

export function conflict(message: string): HorariumError {
  return new HorariumError('conflict', message);
}

/** The error of a rate limit. The request may be sent again later. */
export class TooManyRequests extends HorariumError {
  /** In milliseconds. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('too_many_requests', message);
    this.name = 'TooManyRequests';
    this.retryAfter = retryAfter;
  }
}

/**
 * The store cannot be used. The message names the database, and so is for the log and for commands; callers elsewhere are
 * told that the service is unavailable.
 */
export class StoreUnavailable extends HorariumError {
  constructor(message: string) {
    super('unavailable', message);
    this.name = 'StoreUnavailable';
  }
}

/** The database gave a transaction up for others (deadlock, serialization, lock); run again, it may succeed. */
export class DatabaseBusy extends HorariumError {
  constructor() {
    super('unavailable', 'The database is too busy; try again later.');
    this.name = 'DatabaseBusy';
  }
}

/** A lock that another transaction holds was not had in time. */
export class LockTimeout extends HorariumError {
  constructor() {
    super('unavailable', 'Another transaction has locked for too long what this one needs; try again later.');
    this.name = 'LockTimeout';
  }
}

/** A row changed between reading and writing it; the same work, run again, may succeed. */
export class StaleRow extends HorariumError {
  constructor(resource: string, id: number) {
    super('conflict', `${resource} ${id} was changed by someone else meanwhile.`);
    this.name = 'StaleRow';
  }
}

/** Another row has what must be unique; it may have been made after the same work had looked for it. */
export class KeyTaken extends HorariumError {
  constructor(resource: string, fields: readonly string[]) {
    super('conflict', `Another ${resource} has the same ${fields.join(', ')}.`);
    this.name = 'KeyTaken';
  }
}

/** Returns the message of whatever was thrown, which need not be an Error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Refuses options that nobody reads, which are misspelt, to callers without types.
 * @param of what the options are of, for the message.
 * @throws HorariumError `invalid` that names each.
 */
export function assertKnownOptions(of: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const subject = unknown.length === 1 ? `${unknown[0]} is no option` : `${unknown.join(', ')} are no options`;
  throw new HorariumError('invalid', `${subject} of ${of}; there are ${[...known].sort().join(', ')}.`);
}

/** A mistake in the code of a plugin, which it makes while it is used. Its cause is the error that the code threw. */
export class PluginFailure extends Error {
  readonly plugin: string;

  constructor(plugin: string, cause: unknown) {
    super(`The plugin ${plugin} failed: ${errorMessage(cause)}`, { cause });
    this.name = 'PluginFailure';
    this.plugin = plugin;
  }
}

/**
 * Runs code of a plugin.
 * @param isExpected whether an error is no mistake of the code, such as one that the caller is to be told.
 * @throws PluginFailure for any other error.
 */
export async function blamePlugin<T>(
  plugin: string,
  isExpected: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isExpected(error) ? error : new PluginFailure(plugin, error);
  }
}
