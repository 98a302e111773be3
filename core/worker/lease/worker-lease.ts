import { count, instant, integer, text } from '../../field/fields.ts';
import type { Instant, Milliseconds } from '../../loop/clock.ts';
import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../../store/table.ts';

/**
 * The lease of one process that runs jobs. It covers all jobs of that worker: while the worker renews this one row they
 * are its own; once the lease has run out, others mark them lost and the worker may not complete them any more.
 */
export const WorkerLease = defineBookkeeping({
  name: 'WorkerLease',
  fields: {
    /** Names one epoch of one process, never used again. Jobs carry it as their fencing token. */
    name: text(128, { unique: true }).required(),
    host: text(255).required(),
    pid: integer().required(),
    started_at: instant().required(),
    lease_until: instant({ indexed: true }).required(),
    /** When all of its jobs were marked lost; null = it is alive, or some are left. */
    lost_at: instant(),
    capacity: count(0),
    /** The names of its executors, separated by commas. */
    executors: text(65_535, { hidden: true }),
    /** The fingerprints of the vault keys that it has, separated by commas. */
    vault_keys: text(65_535, { hidden: true }),
  },
});
export type WorkerLeaseRow = RowOfTable<typeof WorkerLease>;

/** Reads the leases of the workers that are alive and run jobs. */
export async function readLiveWorkers(tables: Tables, now: Instant): Promise<WorkerLeaseRow[]> {
  const live = await tables.of(WorkerLease).find({ where: [['lease_until', '>', now]] });
  return live.filter(({ capacity }) => capacity > 0);
}

export function hasExecutor({ executors }: Pick<WorkerLeaseRow, 'executors'>, executor: string): boolean {
  return executors?.split(',').includes(executor) ?? false;
}

/**
 * Says why no worker can run jobs of an executor, as a clause without a full stop.
 * @param workers those that are alive.
 */
export function noWorkerReason(executor: string, workers: readonly WorkerLeaseRow[]): string {
  return workers.length === 0
    ? 'no worker runs: start the service (horarium serve)'
    : `no worker has the executor ${executor}: a host with its plugin must start`;
}

/** How long a lost worker is remembered, so that others prepare jobs with care: one of them may have ended it. */
export const rememberedFor: Milliseconds = 60_000;

/**
 * Whether another worker has left its lease as it is for that long, or was lost in the last minute. The job that it
 * prepared may have ended it, and is not counted, because its claim was not committed.
 * @param own the name of the worker that asks.
 */
export async function hasSilentWorker(
  tables: Tables,
  own: string,
  { duration, silence }: { readonly duration: Milliseconds; readonly silence: Milliseconds },
): Promise<boolean> {
  const unrenewed = (await tables.now()) + duration - silence;
  const others: Where<WorkerLeaseRow> = [
    ['lease_until', '<=', unrenewed],
    ['name', '!=', own],
  ];
  return (await tables.of(WorkerLease).count(others, 1)) > 0;
}

/** Names the processes with a live lease whose vault lacks the key with this fingerprint. */
export async function workersWithoutKey(tables: Tables, fingerprint: string): Promise<string[]> {
  const live = await tables.of(WorkerLease).find({ where: [['lease_until', '>', await tables.now()]] });
  return live
    .filter(({ vault_keys }) => !vault_keys?.split(',').includes(fingerprint))
    .map(({ host, pid }) => `process ${pid} on ${host}`);
}

/** Moves all leases with the time of the service, so that each lasts as long as it did before. */
export async function shiftWorkerLeases(tables: Tables, shift: Milliseconds): Promise<void> {
  const leases = await tables.of(WorkerLease).find({ lock: 'wait' });
  const changes = leases.map((row) => {
    const lost_at = row.lost_at === null ? null : row.lost_at + shift;
    return { row, set: { lease_until: row.lease_until + shift, lost_at } };
  });
  await tables.of(WorkerLease).update(changes);
}
