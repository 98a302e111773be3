import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { readByIds, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { type FinishedAttempt, finishJobs, lockToFinish, lostAttempt } from '../worker/finish/finish-jobs.ts';
import { ExternalLease, type ExternalLeaseRow, isOver } from './external-lease.ts';

/** Finishes external attempts and deletes their leases. */
export async function finishExternal(tables: Tables, attempts: readonly FinishedAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await finishJobs(tables, attempts);
  await tables.of(ExternalLease).delete([['job_id', 'in', attempts.map((attempt) => attempt.jobId)]]);
}

/**
 * Ends the external attempts of these jobs whose lease ran out, which exceeded their timeout, or which were asked to stop.
 * The service cannot kill them, so it refuses their later reports.
 * @param lock `skip` leaves out the jobs that cannot be finished without waiting for another transaction.
 * @returns how many attempts ended.
 */
export async function reapExternal(tables: Tables, jobIds: readonly number[], lock: 'wait' | 'skip'): Promise<number> {
  const candidates = await readByIds(tables, Job, jobIds);
  const found = [...candidates.values()];
  const lockedIds =
    lock === 'skip' ? [...(await lockToFinish(tables, found)).ids] : await lockTemplatesOf(tables, found, lock);
  const leases = await tables.of(ExternalLease).find({ where: [['job_id', 'in', lockedIds]], lock: 'wait' });
  const jobs = await readByIds(
    tables,
    Job,
    leases.map((lease) => lease.job_id),
  );
  const now = await tables.now();
  const attempts = leases.flatMap(
    (lease) => reapedAttempt(required(jobs.get(lease.job_id), `Job ${lease.job_id}`), lease, now) ?? [],
  );
  await finishExternal(tables, attempts);
  return attempts.length;
}

/** Returns the outcome of an attempt that must end; null = it may continue. */
function reapedAttempt(job: JobRow, lease: ExternalLeaseRow, now: Instant): FinishedAttempt | null {
  if (job.stop_reason !== null) return { ...lostAttempt(job, now, job.stop_reason), state: 'cancelled' };
  if (!isOver(lease, now)) return null;
  if (lease.ends_at === lease.timeout_at) return { ...lostAttempt(job, now, 'it took too long'), state: 'timed_out' };
  return lostAttempt(job, now, `it sent no heartbeat for ${(lease.heartbeat_timeout as number) / 1000} s`);
}
