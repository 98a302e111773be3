import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { DueJob } from '../queue/turns.ts';
import type { Tables } from '../store/store.ts';
import { claimQueued } from './claim-jobs.ts';
import type { Claim } from './overlap.ts';

// A job is prepared in the transaction that claims it. If that ends the process, nothing of it is stored, and the job would
// end the next worker as well. So a worker that has reason for care reserves one job, in a transaction of its own, before
// it prepares it: the reservations of a job that never started are the workers that it ended.

/** A job that is counted and left to one worker, until `queue_at`. */
export interface Reservation extends DueJob, Pick<JobRow, 'claims'> {}

/** Counts a claim instead of preparing its job, and leaves the job to this worker until that time. */
export async function reserve(tables: Tables, { job }: Claim, until: Instant): Promise<Reservation> {
  const reserved = { claims: job.claims + 1, queue_at: until };
  await tables.of(Job).updateWhere([['id', '=', job.id]], reserved);
  return { ...job, ...reserved };
}

/** Claims a reserved job. If it may not start any more, the reservation is cancelled. */
export async function claimReserved(tables: Tables, reservation: Reservation): Promise<readonly Claim[]> {
  const { claims } = await claimQueued(tables, [reservation]);
  if (claims.length === 0) await cancelReservation(tables, reservation);
  return claims;
}

/** Gives a reserved job back uncounted, if it is still this worker's. */
export async function cancelReservation(tables: Tables, { id, claims, queue_at }: Reservation): Promise<void> {
  const own = [
    ['id', '=', id],
    ['state', '=', 'scheduled'],
    ['claims', '=', claims],
  ] as const;
  await tables.of(Job).updateWhere([...own, ['queue_at', '=', queue_at]], { queue_at: await tables.now() });
  await tables.of(Job).updateWhere(own, { claims: claims - 1 });
}
