import { nextTick } from 'node:process';
import { type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';
import { plainBytes } from '../../sql-dialect.ts';

const mostNames = 500;
const names = new Map<string, string>();

/**
 * A client that keeps the plans of statements with parameters: each text gets a name of its own. Statements are sent
 * without waiting for those before, and what is asked for in one turn goes out in one packet.
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
  if (!name && names.size < mostNames) {
    name = `horarium_${names.size}`;
    names.set(text, name);
  }
  return name;
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  // Written as `2026-11-21 05:00:00.123+00`, and with minutes of the offset where the URL sets another zone.
  [pg.types.builtins.TIMESTAMPTZ]: (text) => Date.parse(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')),
  [pg.types.builtins.BYTEA]: (text) => plainBytes(Buffer.from(text.slice(2), 'hex')),
};

const types = {
  getTypeParser: (oid: number, format?: 'text') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

interface PoolSettings {
  readonly url: string;
  /** Most connections at once; two at least. */
  readonly connections: number;
}

/** Connections to PostgreSQL whose rows come out as the store wants them: times as milliseconds, bytes plain. */
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
    // A process that hangs, or whose machine has gone, amid a transaction holds locks on what it ran. Others must get
    // them before its jobs have to be marked as lost, 15 s after its last sign of life.
    idle_in_transaction_session_timeout: 8000,
    options: '-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex',
  } as pg.PoolConfig);
  // A lost connection is told to whoever uses it; without a listener it would end the process as well.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

class ForgivingDriver extends PostgresDriver {
  /** The connections are not its own. */
  override async destroy(): Promise<void> {}

  /** Never fails: a transaction that cannot be rolled back has lost its connection, which ends it as well. */
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
    return new ForgivingDriver({ pool: this.#pool });
  }
}
