import { count, instant, integer, ref } from '../field/fields.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';

/** The lease of an external attempt, by the store's clock. */
export const ExternalLease = defineBookkeeping({
  name: 'ExternalLease',
  fields: {
    job_id: ref('Job', { unique: true, onDelete: 'cascade' }).required(),
    /** Milliseconds without a heartbeat after which the attempt is lost; null = heartbeats are optional. */
    heartbeat_timeout: integer(),
    /** When the attempt has run for its timeout; null = it has none. */
    timeout_at: instant(),
    /** When the lease runs out without a further heartbeat; null = never. */
    ends_at: instant({ indexed: true }),
    /** Bytes of stored output. */
    output_size: count(0),
  },
});
export type ExternalLeaseRow = RowOfTable<typeof ExternalLease>;

type HeartbeatTimes = Pick<ExternalLeaseRow, 'heartbeat_timeout' | 'timeout_at'>;

/** Returns when a lease runs out that was renewed at `now`; null = never. */
function leaseEnd({ heartbeat_timeout, timeout_at }: HeartbeatTimes, now: Instant): Instant | null {
  const end = Math.min(heartbeat_timeout === null ? Infinity : now + heartbeat_timeout, timeout_at ?? Infinity);
  return end === Infinity ? null : end;
}

/** Whether the lease has run out. The last moment still belongs to it: a heartbeat then renews it. */
export function isOver({ ends_at }: Pick<ExternalLeaseRow, 'ends_at'>, now: Instant): boolean {
  return ends_at !== null && ends_at < now;
}

/** Opens the lease of an attempt that starts. */
export async function openLease(tables: Tables, jobId: number, times: HeartbeatTimes, now: Instant): Promise<void> {
  const lease = newRow(ExternalLease, { ...times, job_id: jobId, ends_at: leaseEnd(times, now) });
  await tables.of(ExternalLease).insert([lease]);
}

/** Locks the lease of an attempt; undefined when the attempt is not an external one. */
export async function lockLease(tables: Tables, jobId: number): Promise<ExternalLeaseRow | undefined> {
  const [lease] = await tables.of(ExternalLease).find({ where: [['job_id', '=', jobId]], limit: 1, lock: 'wait' });
  return lease;
}

/** Renews a lease after a heartbeat. */
export async function renewLease(tables: Tables, lease: ExternalLeaseRow, now: Instant): Promise<void> {
  await tables.of(ExternalLease).updateWhere([['id', '=', lease.id]], { ends_at: leaseEnd(lease, now) });
}

/** Moves all leases with the time of the service, so that each lasts as long as it did before. */
export async function shiftExternalLeases(tables: Tables, shift: Milliseconds): Promise<void> {
  const leases = await tables.of(ExternalLease).find({ lock: 'wait' });
  const shifted = (at: Instant | null) => (at === null ? null : at + shift);
  await tables
    .of(ExternalLease)
    .update(
      leases.map((row) => ({ row, set: { ends_at: shifted(row.ends_at), timeout_at: shifted(row.timeout_at) } })),
    );
}
