import { Job, type JobRow } from '../job/job.ts';
import { blockJobs } from '../job/pending-jobs.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { type DueJobsQuery, readContenders } from '../queue/due-jobs.ts';
import { takeTurns } from '../queue/turns.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { type CountedClaim, countClaims } from './counted-claims.ts';
import { applyOverlap, stopReplacedJobs } from './overlap.ts';

/** `executors` are those of this worker. */
export interface ClaimOptions extends DueJobsQuery {
  /** How long the claimed jobs are left to this worker. */
  readonly lease: Milliseconds;
}

export interface ClaimedJobs {
  readonly counted: readonly CountedClaim[];
  /** The company that was last served. */
  readonly last: number;
  /**
   * Whether jobs stay due of which none could be claimed or blocked: other transactions lock their templates, or their
   * start deadlines have passed, or their companies may have no further slot.
   */
  readonly isStalled: boolean;
}

/**
 * Claims the due jobs that the overlap rules of their templates let start now, and blocks the others of them. Free
 * slots go round by company, and within one to the highest priority, then to what was due first. A claim is only counted: the job is prepared in a later transaction, so that the count is stored should preparing
 * it end this process. Until the lease is over the job is out of the queue.
 */
export async function claimJobs(tables: Tables, { lease, ...query }: ClaimOptions): Promise<ClaimedJobs> {
  const now = await tables.now();
  const contenders = await readContenders(tables, query);
  const taken = takeTurns(contenders, query.max);
  const last = taken.at(-1)?.company_id ?? contenders.at(-1)?.company ?? query.last;
  const due = taken.filter(({ id }) => !query.counted.some((claim) => claim.id === id));
  const ids = await lockTemplatesOf(tables, due, 'skip');
  if (ids.length === 0) return { counted: [], last, isStalled: contenders.length > 0 };
  const stillDue: Where<JobRow> = [
    ['id', 'in', ids],
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', now],
    ['executor', 'in', query.executors],
  ];
  const found = new Map((await tables.of(Job).find({ where: stillDue })).map((job) => [job.id, job]));
  const jobs = ids.flatMap((id) => found.get(id) ?? []);
  const { claims, blocked } = await applyOverlap(tables, jobs, now);
  await blockJobs(
    tables,
    blocked.map(({ claim }) => claim.job.id),
  );
  for (const claim of blocked) {
    await yieldToEventLoop();
    await stopReplacedJobs(tables, claim);
  }
  const isStalled = jobs.length > 0 && claims.length + blocked.length === 0;
  return { counted: await countClaims(tables, claims, now + lease), last, isStalled };
}
