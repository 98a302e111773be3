import { Job, type JobRow } from '../job/job.ts';
import { blockJobs } from '../job/pending-jobs.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { type CountedClaim, countClaims } from './counted-claims.ts';
import { applyOverlap, stopReplacedJobs } from './overlap.ts';

export interface ClaimOptions {
  /** The names of the executors of this worker. */
  readonly executors: readonly string[];
  readonly max: number;
  /** How long the claimed jobs are left to this worker. */
  readonly lease: Milliseconds;
  /** The claims that this worker already has. */
  readonly counted: readonly CountedClaim[];
}

export interface ClaimedJobs {
  readonly counted: readonly CountedClaim[];
  /**
   * Whether jobs stay due of which none could be claimed or blocked: other transactions lock their templates, or their
   * start deadlines have passed.
   */
  readonly isStalled: boolean;
}

/**
 * Claims the due jobs that the overlap rules of their templates let start now, oldest first, and blocks the other due
 * jobs. A claim is only counted: the job is prepared in a later transaction, so that the count is stored should preparing
 * it end this process. Until the lease is over the job is out of the queue.
 */
export async function claimJobs(
  tables: Tables,
  { executors, max, lease, counted }: ClaimOptions,
): Promise<ClaimedJobs> {
  const now = await tables.now();
  const queued = await queuedJobs(tables, executors, ['queue_at', '<=', now], max);
  const due = queued.filter(({ id }) => !counted.some((claim) => claim.id === id));
  const ids = await lockTemplatesOf(tables, due, 'skip');
  if (ids.length === 0) return { counted: [], isStalled: due.length > 0 };
  const stillDue: Where<JobRow> = [
    ['id', 'in', ids],
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', now],
    ['executor', 'in', executors],
  ];
  const jobs = await tables.of(Job).find({ where: stillDue, order: [['queue_at', 'asc']] });
  const { claims, blocked } = await applyOverlap(tables, jobs, now);
  await blockJobs(
    tables,
    blocked.map(({ claim }) => claim.job.id),
  );
  for (const claim of blocked) await stopReplacedJobs(tables, claim);
  const isStalled = jobs.length > 0 && claims.length + blocked.length === 0;
  return { counted: await countClaims(tables, claims, now + lease), isStalled };
}

/** Returns the time until the next queued job of these executors is due; Infinity = none is queued. */
export async function untilNextJob(tables: Tables, executors: readonly string[]): Promise<Milliseconds> {
  const [[next], now] = await Promise.all([queuedJobs(tables, executors, ['queue_at', '!=', null], 1), tables.now()]);
  return next ? next.queue_at - now : Infinity;
}

interface QueuedJob extends Pick<JobRow, 'id' | 'runtemplate_id'> {
  readonly queue_at: Instant;
}

/**
 * Reads queued jobs of these executors in the order in which they are due. One query for each executor follows an index
 * that leaves out blocked jobs, so their number does not slow it down.
 */
async function queuedJobs(
  tables: Tables,
  executors: readonly string[],
  when: Condition<JobRow>,
  max: number,
): Promise<QueuedJob[]> {
  const byExecutor = await Promise.all(
    executors.map((executor) =>
      tables.of(Job).find({
        where: [['executor', '=', executor], ['state', '=', 'scheduled'], when],
        order: [['queue_at', 'asc']],
        limit: max,
        columns: ['id', 'runtemplate_id', 'queue_at'],
      }),
    ),
  );
  const queued = byExecutor.flat().filter((job): job is QueuedJob => job.queue_at !== null);
  return queued.sort((a, b) => a.queue_at - b.queue_at || a.id - b.id).slice(0, max);
}
