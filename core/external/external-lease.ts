import { count, instant, integer, ref } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** How long an attempt that runs outside still has, judged by the store's clock. There is one row for each of them. */
export const ExternalLease = defineBookkeeping({
  name: 'ExternalLease',
  fields: {
    job_id: ref('Job', { unique: true, onDelete: 'cascade' }).required(),
    /** Milliseconds from a sign of life until it is lost; null = it need not give any. */
    patience: integer(),
    /** When its timeout passes; null = it has none. */
    timeout_at: instant(),
    /** When it is over unless it gives a sign of life; null = never by itself. */
    ends_at: instant({ indexed: true }),
    /** Bytes of output that were kept. */
    output_size: count(0),
  },
});
export type ExternalLeaseRow = RowOfTable<typeof ExternalLease>;

type Times = Pick<ExternalLeaseRow, 'patience' | 'timeout_at'>;

/** Until when it lasts after a sign of life. */
export function leaseEnd({ patience, timeout_at }: Times, now: Instant): Instant | null {
  const end = Math.min(patience === null ? Infinity : now + patience, timeout_at ?? Infinity);
  return end === Infinity ? null : end;
}

/** A sign of life counts up to the last moment. */
export function isOver({ ends_at }: Pick<ExternalLeaseRow, 'ends_at'>, now: Instant): boolean {
  return ends_at !== null && ends_at < now;
}

/** The lease of an attempt, locked; undefined when it does not run outside. */
export async function lockLease(tables: Tables, jobId: number): Promise<ExternalLeaseRow | undefined> {
  const [lease] = await tables.of(ExternalLease).find({ where: [['job_id', '=', jobId]], limit: 1, lock: 'wait' });
  return lease;
}

/** Notes a sign of life. */
export async function renewLease(tables: Tables, lease: ExternalLeaseRow, now: Instant): Promise<void> {
  await tables.of(ExternalLease).updateWhere([['id', '=', lease.id]], { ends_at: leaseEnd(lease, now) });
}
