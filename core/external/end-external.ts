import { finishJobs, type JobResult, lostResult } from '../attempt/finish-jobs.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { readByIds } from '../store/read-by-ids.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { ExternalLease, type ExternalLeaseRow, isOver } from './external-lease.ts';

/** Writes how attempts that ran outside ended, and lets go of their leases. */
export async function finishExternal(tables: Tables, ends: readonly JobResult[]): Promise<void> {
  if (ends.length === 0) return;
  await finishJobs(tables, ends);
  await tables.of(ExternalLease).delete([['job_id', 'in', ends.map((end) => end.jobId)]]);
}

/**
 * Ends those of these attempts that nobody outside will end: they gave no sign of life in time, took too long, or are
 * to be stopped. What is outside cannot be killed, so from now on nothing that is said of them counts.
 * @param lock `skip` leaves out those whose templates others hold.
 * @returns how many were ended.
 */
export async function endExternal(tables: Tables, jobIds: readonly number[], lock: 'wait' | 'skip'): Promise<number> {
  const jobs = await readByIds(tables, Job, jobIds);
  const locked = await lockTemplates(
    tables,
    [...jobs.values()].map((job) => job.runtemplate_id),
    lock,
  );
  const ours = [...jobs.values()].filter((job) => locked.has(job.runtemplate_id)).map((job) => job.id);
  const leases = await tables.of(ExternalLease).find({ where: [['job_id', 'in', ours]], lock: 'wait' });
  const held = await readByIds(
    tables,
    Job,
    leases.map((lease) => lease.job_id as number),
  );
  const now = await tables.now();
  const ends = leases.flatMap((lease) => endOf(held.get(lease.job_id as number) as JobRow, lease, now) ?? []);
  await finishExternal(tables, ends);
  return ends.length;
}

function endOf(job: JobRow, lease: ExternalLeaseRow, now: Instant): JobResult | null {
  if (job.stop_reason !== null) return { ...lostResult(job, now, job.stop_reason), state: 'cancelled' };
  if (!isOver(lease, now)) return null;
  if (lease.ends_at === lease.timeout_at) return { ...lostResult(job, now, 'it took too long'), state: 'timed_out' };
  return lostResult(job, now, `it gave no sign of life for ${(lease.patience as number) / 1000} s`);
}
