import { HorariumError } from '@horarium/core';
import { CompiledQuery, type ControlledTransaction } from 'kysely';

/** Reads the leases of workers, in columns that every version has. */
export interface LeaseStatements {
  /** Keeps workers from registering until the transaction ends, where a transaction that writes does not. */
  readonly lock?: string;
  /** Selects the time of the database's clock as `now`, in milliseconds. */
  readonly now: () => string;
  /** The column `lease_until` in milliseconds. */
  readonly until: string;
}

interface Lease {
  readonly name: string;
  readonly host: string;
  readonly pid: unknown;
  readonly until: unknown;
}

/**
 * Workers hold leases on a database that is to be migrated. A process registers its worker only where no migration is
 * pending, so that theirs are of another version.
 */
export class WorkersRunning extends HorariumError {
  readonly #leases: ReadonlyMap<string, Lease>;

  constructor(leases: readonly Lease[]) {
    const processes = leases.map(({ host, pid }) => `process ${pid} on ${host}`);
    super(
      'unavailable',
      `The database needs migrations, and an older version works on it (${processes.join(', ')}): stop that first (horarium help upgrade).`,
    );
    this.#leases = new Map(leases.map((lease) => [lease.name, lease]));
  }

  /** What is said while the leases may be those of processes that have died. */
  get wait(): string {
    return `waiting until these leases end: ${[...this.#leases.keys()].join(', ')}`;
  }

  /** Whether a worker lives: it has taken or renewed a lease since then. */
  isNewsSince(earlier: WorkersRunning): boolean {
    return [...this.#leases].some(([name, { until }]) => `${earlier.#leases.get(name)?.until}` !== `${until}`);
  }
}

/** @throws WorkersRunning when a worker may be at work on the database. */
export async function assertNoWorkers(
  transaction: ControlledTransaction<unknown>,
  { lock, now, until }: LeaseStatements,
): Promise<void> {
  const run = async <R>(sql: string) => (await transaction.executeQuery<R>(CompiledQuery.raw(sql))).rows;
  if (lock !== undefined) await run(lock);
  const leases = await run<Lease>(`select "name", "host", "pid", ${until} as "until" from horarium_worker_lease`);
  if (leases.length === 0) return;
  const [time] = await run<{ now: unknown }>(now());
  // Leases are in the time of the service, which a clock that jumped is ahead of until the jump is confirmed.
  const [state] = await run<{ value: string | null }>(`select "value" from horarium_setting where "name" = 'clock'`);
  const { held = 0 } = JSON.parse(state?.value ?? '{}') as { held?: number };
  const live = leases.filter((lease) => Number(lease.until) > Number(time?.now) - held);
  if (live.length > 0) throw new WorkersRunning(live);
}
