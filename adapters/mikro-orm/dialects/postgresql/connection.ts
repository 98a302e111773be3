import { nextTick } from 'node:process';
import { badRequest, type Milliseconds } from '@horarium/core';
import pg from 'pg';
import postgresDate from 'postgres-date';
import { plainBytes } from '../../dialect.ts';

/** The most statements that are prepared under a name; each of them stays in the server's memory. */
const maxStatementNames = 500;
const statementNames = new Map<string, string>();

/**
 * Prepares each statement with parameters under a name of its own, so that the server caches its plan. Pipelines
 * statements, and sends those of one turn of the event loop in one packet.
 */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads cannot be written down in an override.
  override query(...args: any[]): any {
    const { stream } = this.connection;
    stream.cork();
    nextTick(() => stream.uncork());
    const [text, values] = args;
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    return name ? super.query({ name, text, values }) : super.query(...(args as [string]));
  }
}

function nameOf(text: string): string | undefined {
  let name = statementNames.get(text);
  if (!name && statementNames.size < maxStatementNames) {
    name = `horarium_${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

/** Its types describe a default export, but the package exports the function itself. */
const parseTime = postgresDate as unknown as (text: string) => Date | number | null;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  // The driver's own version of it takes twice as long, and a batch of jobs has thousands of times.
  [pg.types.builtins.TIMESTAMPTZ]: (text) => Number(parseTime(text)),
  [pg.types.builtins.BYTEA]: (text) => plainBytes(Buffer.from(text.slice(2), 'hex')),
};

const types = {
  getTypeParser: (oid: number, format?: 'text') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

interface PoolSettings {
  readonly url: string;
  /** The size of the pool; at least two. */
  readonly connections: number;
  /** How long a statement waits for a lock; undefined = as the database says. */
  readonly lockTimeout?: Milliseconds | undefined;
}

const tlsModes: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** @throws HorariumError `bad_request` for an unknown `sslmode`, which the driver would take for `verify-full`. */
function checkTlsMode({ searchParams }: URL): void {
  const unknown = searchParams.getAll('sslmode').find((mode) => !tlsModes.includes(mode));
  if (unknown !== undefined)
    throw badRequest(`sslmode in the URL of the database must be one of ${tlsModes.join(', ')}, not "${unknown}".`);
}

/** What the parsers above and the precision of numbers need, whatever is set for the database, the user or in the URL. */
const sessionOptions = '-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex -c extra_float_digits=1';

/** Returns the options of every connection. @throws HorariumError `bad_request` for an unknown `sslmode`. */
export function connectionOptions({ url, lockTimeout }: Pick<PoolSettings, 'url' | 'lockTimeout'>): pg.ClientConfig {
  const address = new URL(url);
  checkTlsMode(address);
  // The driver would take those of the URL instead of those given here.
  const given = address.searchParams.get('options');
  address.searchParams.delete('options');
  return {
    connectionString: given === null ? url : address.href,
    types,
    application_name: 'horarium',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: [given, sessionOptions, lockTimeout && `-c lock_timeout=${lockTimeout}`].filter(Boolean).join(' '),
  };
}

/** Opens a pool whose rows are in the form of the store: times as milliseconds, bytes as plain arrays. */
export function openPool({ url, connections, lockTimeout }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions({ url, lockTimeout }),
    max: Math.max(connections, 2),
    Client: PreparingClient,
    pipeline: true,
    // Ends the transaction of a process that hangs or whose machine is gone, because it holds locks. Other workers need
    // them to mark its jobs as lost, 15 s after its last renewal.
    idle_in_transaction_session_timeout: 8000,
  } as pg.PoolConfig);
  // A listener is needed, because the event would end the process otherwise; the query on a lost connection rejects
  // anyway.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
