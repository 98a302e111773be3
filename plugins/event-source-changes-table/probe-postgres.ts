import type { Socket } from 'node:net';
import pg from 'pg';
import { probeOf } from './table-name.ts';

/** The modes of TLS, as in libpq: none, TLS without checking the certificate, TLS with a certificate of the host. */
export const sslModes = ['disable', 'require', 'verify-full'] as const;

export interface PostgresPlace {
  readonly host: string;
  readonly port: number | null;
  readonly database: string;
  readonly username: string | null;
  readonly password: string | null;
  readonly sslmode: (typeof sslModes)[number];
  readonly sslrootcert: string | null;
  readonly table: string;
}

/** Checks that the newest change can be selected from PostgreSQL. @throws Error that says why it cannot. */
export async function probePostgres(place: PostgresPlace, signal: AbortSignal): Promise<void> {
  const { host, port, database, username, password, table } = place;
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
    options: '-c default_transaction_read_only=on',
  });
  client.on('error', () => undefined);
  // A graceful end would wait for a server that does not respond; the types of pg hide the connection.
  const hangUp = () => (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  signal.addEventListener('abort', hangUp);
  try {
    await client.connect();
    await client.query(probeOf(table));
  } catch (error) {
    throw new Error(sentence(error), { cause: error });
  } finally {
    signal.removeEventListener('abort', hangUp);
    await client.end().catch(() => undefined);
  }
}

function tlsOf({ host, sslmode, sslrootcert }: PostgresPlace) {
  if (sslmode === 'disable') return false;
  if (sslmode === 'require') return { rejectUnauthorized: false };
  // The host again, because a certificate is not compared with an address otherwise.
  return { rejectUnauthorized: true, host, ...(sslrootcert !== null && { ca: sslrootcert }) };
}

/** The message of an error; where no address of a host answers, only its code says so. */
function sentence(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || `the connection failed${code ? `: ${code}` : ''}`;
}
