import type { Socket } from 'node:net';
import pg from 'pg';
import {
  abortable,
  type DatabasePlace,
  endOrDestroy,
  type QueryResult,
  type SqlDialect,
  sentenceOf,
  type TableDatabase,
} from './table-database.ts';

const dialect: SqlDialect = {
  quote: (name) => `"${name}"`,
  now: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint',
  readOf: (column) => `${column}::text`,
  bytesOf: (column) => `octet_length(${column}::text)`,
  selectMax: (column, table) => `select max(${column}) as head from ${table} as t`,
};

/** In a database whose encoding is SQL_ASCII any bytes are text, so they are read as bytes. */
const dialectOfBytes: SqlDialect = { ...dialect, readOf: (column) => `textsend(${column}::text)` };

/** The type codes of int2, int4, int8, float4, float8 and numeric. */
const numberTypes = new Set([21, 23, 20, 700, 701, 1700]);
const bytea = 17;

/** A text as PostgreSQL sent it, or the bytes of a bytea, which it sends as `\x` and hexadecimal digits. */
const types = {
  getTypeParser: (type: number) => (text: string) => (type === bytea ? Buffer.from(text.slice(2), 'hex') : text),
};

/** How long PostgreSQL may work on one statement, also when nothing waits for it any more. */
const statementTimeout = 30_000;

/**
 * Connects to PostgreSQL.
 * @param writes whether rows may be deleted.
 * @throws Error that says why it cannot.
 */
export async function connectPostgres(
  place: DatabasePlace,
  writes: boolean,
  signal: AbortSignal,
): Promise<TableDatabase> {
  const { host, port, database, username, password } = place;
  if (username === null) throw new Error('PostgreSQL needs a username');
  const client = new pg.Client({
    host,
    database,
    port: port ?? 5432,
    user: username,
    // A function, because pg looks for an unset one in the environment of this process.
    password: () => password ?? '',
    ssl: tlsOf(place),
    application_name: 'horarium',
    options: `-c default_transaction_read_only=${writes ? 'off' : 'on'} -c statement_timeout=${statementTimeout}`,
    types: types as never,
  });
  const connection = new PostgresDatabase(client);
  try {
    await abortable(connection, signal, () => client.connect());
    await abortable(connection, signal, () => connection.prepare());
    return connection;
  } catch (error) {
    await connection.close();
    throw new Error(sentenceOf(error), { cause: error });
  }
}

class PostgresDatabase implements TableDatabase {
  dialect = dialect;
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
    client.on('error', () => undefined);
  }

  /** Finds out what texts are. Without an encoding of the client PostgreSQL refuses no bytes. */
  async prepare(): Promise<void> {
    const { rows } = await this.query("select current_setting('server_encoding') as encoding");
    if (rows[0]?.['encoding'] !== 'SQL_ASCII') return;
    await this.query("set client_encoding = 'SQL_ASCII'");
    this.dialect = dialectOfBytes;
  }

  async query(sql: string): Promise<QueryResult> {
    try {
      const { rows, fields } = await this.#client.query(sql);
      return { rows, isNumber: (column) => numberTypes.has(fields[column]?.dataTypeID ?? 0) };
    } catch (error) {
      throw new Error(sentenceOf(error), { cause: error });
    }
  }

  destroy(): void {
    // A graceful end would wait for a server that does not respond; the types of pg hide the connection.
    (this.#client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }

  close(): Promise<void> {
    return endOrDestroy(this.#client.end(), () => this.destroy());
  }
}

function tlsOf({ host, sslmode, sslrootcert }: DatabasePlace) {
  if (sslmode === 'disable') return false;
  if (sslmode === 'require') return { rejectUnauthorized: false };
  // The host again, because a certificate is not compared with an address otherwise.
  return { rejectUnauthorized: true, host, ...(sslrootcert !== null && { ca: sslrootcert }) };
}
