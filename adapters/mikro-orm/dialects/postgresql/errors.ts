import { DatabaseBusy, LockTimeout, StoreUnavailable } from '@horarium/core';

/** The database answers, and does not let its user do what the service has to. */
export class DatabaseDenied extends StoreUnavailable {}

const deniedCode = /^42501/;
// SQLSTATE of serialization_failure, deadlock_detected and lock_not_available.
const retryable = /^(40001|40P01|55P03)$/;

const messages: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'refuses the user or its password'],
  [/^3D000/, 'has no such database'],
  [deniedCode, 'does not permit this user to do that'],
  [/^53300/, 'has no connection left'],
  [/^53100/, 'has no space left on its disk'],
  [/^25006/, 'only reads at the moment'],
  [/^22P05/, 'cannot store every character: its encoding must be UTF8'],
  [/^(08|57P0|58|25P03)/, 'has closed the connection'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'does not answer'],
  [/^(ECONNRESET|EPIPE)$/, 'has closed the connection'],
];
/** Failures that are told with the message of PostgreSQL, up to its first semicolon, because it says what is wrong. */
const explained: readonly (readonly [RegExp, string])[] = [
  [/^42P07|^42710/, 'has something of the same name, which Horarium did not make'],
  [
    /^(CERT_|UNABLE_TO_|ERR_TLS_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT)/,
    'presents a certificate that is refused',
  ],
];
const disconnected =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error|Client was closed/i;

/** Translates an error of the driver into what the store throws; DatabaseBusy when the transaction is to be run again. */
export function storeErrorOf(error: unknown, { hostname, port, pathname, searchParams }: URL): unknown {
  const code = codeOf(error);
  if (retryable.test(code)) return new DatabaseBusy();
  const knownMessage = messages.find(([pattern]) => pattern.test(code));
  const message =
    knownMessage?.[1] ??
    explanationOf(error, code) ??
    (error instanceof Error && disconnected.test(error.message) ? 'does not answer' : undefined);
  if (!message) return error;
  const host = hostname || searchParams.get('host') || 'localhost';
  const database = decodeURIComponent(pathname.slice(1));
  const Failure = deniedCode.test(code) ? DatabaseDenied : StoreUnavailable;
  return new Failure(`PostgreSQL at ${host}:${port || 5432} (database ${database}) ${message}.`);
}

/** Translates like `storeErrorOf`, but gives up where a lock was not had in time: the caller tries again by itself. */
export function backgroundErrorOf(error: unknown, address: URL): unknown {
  return codeOf(error) === '55P03' ? new LockTimeout() : storeErrorOf(error, address);
}

function explanationOf(error: unknown, code: string): string | undefined {
  if (error instanceof Error && /does not support SSL/i.test(error.message))
    return 'speaks no TLS, which sslmode asks for';
  const known = explained.find(([pattern]) => pattern.test(code));
  return known && `${known[1]} (${(error as Error).message.split(';')[0]})`;
}

/**
 * Returns the SQLSTATE or system error code of a failure; where several addresses were tried, the code of the first.
 */
export function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return errors && errors.length > 0 ? codeOf(errors[0]) : '';
}
