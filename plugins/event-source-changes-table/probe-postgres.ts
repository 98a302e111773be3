import type { Socket } from 'node:net';
import pg from 'pg';
import { probeOf } from './table-name.ts';

/** As in libpq: none, TLS whoever answers, TLS with the host's own certificate. */
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

/** Asks a PostgreSQL for the newest change. @throws Error that says why it cannot be read. */
export async function probePostgres(place: PostgresPlace, signal: AbortSignal): Promise<void> {
  const { host, port, database, username, password, table } = place;
  if (username === null) throw new Error('PostgreSQL needs a username');
  const client = new pg.Client({
    host,
    database,
    port: port ?? 5432,
    user: username,
    // As a function, or one that is not set would be looked for in the environment of this very process.
    password: () => password ?? '',
    ssl: tlsOf(place),
    application_name: 'horarium',
    options: '-c default_transaction_read_only=on',
  });
  client.on('error', () => undefined);
  // A polite end would wait for a server that does not even greet.
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
  // The host is said again for the certificate: an address would not be compared with it otherwise.
  return { rejectUnauthorized: true, host, ...(sslrootcert !== null && { ca: sslrootcert }) };
}

/** Where no address of a host answers, the error says so only in its parts. */
function sentence(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'the connection failed';
}
