import { count, instant, integer, ref } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** The lease of an attempt that runs elsewhere, by the store's clock; one row for each. */
export const ExternalLease = defineBookkeeping({
  name: 'ExternalLease',
  fields: {
    job_id: ref('Job', { unique: true, onDelete: 'cascade' }).required(),
    /** Milliseconds after the last heartbeat when the attempt is lost; null = it need not send any. */
    heartbeat_timeout: integer(),
    /** When its timeout passes; null = it has none. */
    timeout_at: instant(),
    /** When the lease runs out without a further heartbeat; null = never. */
    ends_at: instant({ indexed: true }),
    /** Bytes of output that are stored. */
    output_size: count(0),
  },
});
export type ExternalLeaseRow = RowOfTable<typeof ExternalLease>;

type LeaseTimes = Pick<ExternalLeaseRow, 'heartbeat_timeout' | 'timeout_at'>;

/** Returns when a lease runs out that was renewed at `now`; null = never. */
export function leaseEnd({ heartbeat_timeout, timeout_at }: LeaseTimes, now: Instant): Instant | null {
  const end = Math.min(heartbeat_timeout === null ? Infinity : now + heartbeat_timeout, timeout_at ?? Infinity);
  return end === Infinity ? null : end;
}

/** A heartbeat counts up to the last moment. */
export function isOver({ ends_at }: Pick<ExternalLeaseRow, 'ends_at'>, now: Instant): boolean {
  return ends_at !== null && ends_at < now;
}

/** Locks the lease of an attempt; undefined when the attempt does not run elsewhere. */
export async function lockLease(tables: Tables, jobId: number): Promise<ExternalLeaseRow | undefined> {
  const [lease] = await tables.of(ExternalLease).find({ where: [['job_id', '=', jobId]], limit: 1, lock: 'wait' });
  return lease;
}

/** Renews a lease after a heartbeat. */
export async function renewLease(tables: Tables, lease: ExternalLeaseRow, now: Instant): Promise<void> {
  await tables.of(ExternalLease).updateWhere([['id', '=', lease.id]], { ends_at: leaseEnd(lease, now) });
}
