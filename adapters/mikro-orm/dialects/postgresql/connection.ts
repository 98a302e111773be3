import { nextTick } from 'node:process';
import { type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';
import { plainBytes } from '../../sql-dialect.ts';

const maxNames = 500;
const names = new Map<string, string>();

/**
 * A client that prepares statements with parameters under a name for each text, so that the server caches their plans.
 * It pipelines statements, and those of one turn of the event loop leave in one packet.
 */
class PlanningClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads cannot be written down in an override.
  override query(...given: any[]): any {
    const { stream } = this.connection;
    stream.cork();
    nextTick(() => stream.uncork());
    const [text, values] = given;
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    return name ? super.query({ name, text, values }) : super.query(...(given as [string]));
  }
}

function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (!name && names.size < maxNames) {
    name = `horarium_${names.size}`;
    names.set(text, name);
  }
  return name;
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  // PostgreSQL writes `2026-11-21 05:00:00.123+00`, with minutes in the offset where the URL sets another zone.
  [pg.types.builtins.TIMESTAMPTZ]: (text) => Date.parse(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')),
  [pg.types.builtins.BYTEA]: (text) => plainBytes(Buffer.from(text.slice(2), 'hex')),
};

const types = {
  getTypeParser: (oid: number, format?: 'text') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

interface PoolSettings {
  readonly url: string;
  /** The size of the pool; at least two. */
  readonly connections: number;
}

/** A pool whose rows are those of the store: times as milliseconds, bytes as plain arrays. */
export function openPool({ url, connections }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: Math.max(connections, 2),
    Client: PlanningClient,
    pipeline: true,
    types,
    application_name: 'horarium',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A process that hangs within a transaction, or whose machine is gone, holds its locks. Other workers need them
    // before they mark its jobs as lost, 15 s after its last renewal.
    idle_in_transaction_session_timeout: 8000,
    options: '-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex',
  } as pg.PoolConfig);
  // The query on a lost connection rejects; without a listener the event would end the process as well.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

class PoolDriver extends PostgresDriver {
  /** Leaves the pool open, because the store owns it. */
  override async destroy(): Promise<void> {}

  /** Never throws: a transaction that cannot be rolled back has lost its connection, which ends it as well. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

export class PoolDialect extends PostgresDialect {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new PoolDriver({ pool: this.#pool });
  }
}
