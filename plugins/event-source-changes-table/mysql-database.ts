import { isIP, type Socket } from 'node:net';
import { type Connection, createConnection, type FieldPacket } from 'mysql2';
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
  quote: (name) => `\`${name}\``,
  // Without an argument it depends on no time zone.
  now: 'unix_timestamp() * 1000',
  readOf: (column) => column,
  bytesOf: (column) => `octet_length(${column})`,
  selectMax: (column, table) => `select max(${column}) as head from ${table} as t`,
};

/** The type codes of decimal, tinyint, smallint, int, float, double, bigint, mediumint and the newer decimal. */
const numberTypes = new Set([0, 1, 2, 3, 4, 5, 8, 9, 246]);

/**
 * Connects to MySQL or MariaDB.
 * @param writes whether rows may be deleted.
 * @throws Error that says why it cannot.
 */
export async function connectMysql(place: DatabasePlace, writes: boolean, signal: AbortSignal): Promise<TableDatabase> {
  const { host, port, database, username, password } = place;
  if (username === null) throw new Error('MySQL needs a username');
  // mysql2 would compare the certificate with `localhost` in place of an address.
  if (place.sslmode === 'verify-full' && isIP(host) !== 0)
    throw new Error(`verify-full needs the name of the host of MySQL, not its address ${host}`);
  const client = createConnection({
    host,
    port: port ?? 3306,
    user: username,
    password: password ?? '',
    database,
    charset: 'utf8mb4',
    // A server could ask for any file of this machine otherwise.
    flags: ['-LOCAL_FILES'],
    ...tlsOf(place),
    // Every value as it was sent: numbers beyond 2^53, dates and JSON included.
    typeCast: (field) => field.buffer(),
  });
  const connection = new MysqlDatabase(client);
  try {
    const connected = new Promise<void>((resolve, reject) =>
      client.connect((error) => (error ? reject(error) : resolve())),
    );
    await abortable(connection, signal, () => connected);
    if (!writes) await abortable(connection, signal, () => connection.query('set session transaction read only'));
    return connection;
  } catch (error) {
    connection.destroy();
    throw new Error(sentenceOf(error), { cause: error });
  }
}

class MysqlDatabase implements TableDatabase {
  readonly dialect = dialect;
  readonly #client: Connection;

  constructor(client: Connection) {
    this.#client = client;
    client.on('error', () => undefined);
  }

  query(sql: string): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#client.query(sql, (error: Error | null, rows: unknown, fields: FieldPacket[] | undefined) => {
        if (error) reject(new Error(sentenceOf(error), { cause: error }));
        else
          resolve({
            rows: Array.isArray(rows) ? (rows as QueryResult['rows']) : [],
            isNumber: (column) => numberTypes.has(fields?.[column]?.columnType ?? -1),
          });
      });
    });
  }

  destroy(): void {
    // The stream and not the client, whose statements would never be settled; the types of mysql2 hide it.
    (this.#client as unknown as { stream: Socket }).stream.destroy();
  }

  close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#client.end(() => resolve()));
    return endOrDestroy(ended, () => this.destroy());
  }
}

function tlsOf({ sslmode, sslrootcert }: DatabasePlace) {
  if (sslmode === 'disable') return {};
  if (sslmode === 'require') return { ssl: { rejectUnauthorized: false } };
  return { ssl: { rejectUnauthorized: true, verifyIdentity: true, ...(sslrootcert !== null && { ca: sslrootcert }) } };
}
