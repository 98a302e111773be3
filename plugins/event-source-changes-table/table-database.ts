/** A value of a column as text, or as the bytes of one that may be no text; null where the column is. */
export type ColumnValue = string | Uint8Array | null;

export interface QueryResult {
  readonly rows: readonly Readonly<Record<string, ColumnValue>>[];
  /** Whether the values of a column, by its place in the result, are ordered as numbers are. */
  isNumber(column: number): boolean;
}

/** A connection to the database of a changes table. */
export interface TableDatabase {
  readonly dialect: SqlDialect;
  /** Runs one statement. @throws Error whose message says why it failed. */
  query(sql: string): Promise<QueryResult>;
  /** Ends the connection at once; statements that run are rejected. */
  destroy(): void;
  /** Ends the connection; never rejects. */
  close(): Promise<void>;
}

/** What databases write differently. */
export interface SqlDialect {
  quote(name: string): string;
  /** The milliseconds since 1970 by the clock of the database. */
  readonly now: string;
  /** The value of a column, as text or bytes. */
  readOf(column: string): string;
  /** The length of that value in bytes. */
  bytesOf(column: string): string;
  /** Selects the largest number in a column of a table as `head`. */
  selectMax(column: string, table: string): string;
}

/** Where a database is, and who reads it. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number | null;
  readonly database: string;
  readonly username: string | null;
  readonly password: string | null;
  readonly sslmode: (typeof sslModes)[number];
  readonly sslrootcert: string | null;
}

/** The modes of TLS, as in libpq: none, TLS without checking the certificate, TLS with a certificate of the host. */
export const sslModes = ['disable', 'require', 'verify-full'] as const;

/**
 * Does work with a connection, which is ended when the signal aborts.
 * @throws the reason of the signal, or what the work throws.
 */
export async function abortable<T>(
  connection: Pick<TableDatabase, 'destroy'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => {
    connection.destroy();
    aborted.reject(new Error('the read was given up'));
  };
  aborted.promise.catch(() => undefined);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How long a connection may take to say goodbye before it is cut. */
const farewell = 1000;

/** Ends a connection politely, or cuts it where the server does not respond. */
export async function endOrDestroy(end: Promise<unknown>, destroy: () => void): Promise<void> {
  const timer = setTimeout(destroy, farewell);
  const cut = new Promise((resolve) => setTimeout(resolve, farewell + 1).unref());
  await Promise.race([end.catch(() => undefined), cut]);
  clearTimeout(timer);
}

/** The message of an error on one line; where no address of a host answers, only its code says so. */
export function sentenceOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const line = message?.replace(/\s+/g, ' ').trim();
  return line || `the connection failed${code ? `: ${code}` : ''}`;
}
