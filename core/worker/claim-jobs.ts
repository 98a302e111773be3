import { Job, type JobRow } from '../job/job.ts';
import { blockDueJobs, blockJobs } from '../job/pending-jobs.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readPauses } from '../pause/pauses.ts';
import { type DueJob, takeTurns } from '../queue/turns.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { lockLimited, readPlaces } from './company-places.ts';
import { type DueJobsQuery, maxCompanies, readDueJobs } from './due-jobs.ts';
import { applyOverlap, type Claim, stopReplacedJobs } from './overlap.ts';

export interface ClaimedJobs {
  readonly claims: readonly Claim[];
  /** The company that was last served. */
  readonly last: number;
  /** When the next job is due; Infinity = none is queued. */
  readonly next: Instant;
  /**
   * Whether due jobs are left for which there is room: other transactions lock their templates, their start deadlines have
   * passed, pauses held those that were taken, or more are due than one claim takes.
   */
  readonly hasMore: boolean;
}

/**
 * Claims the due jobs that the overlap rules of their templates let start now, and blocks the other due jobs. Free slots go
 * round by company, and within one to the highest priority, then to what was due first. The caller marks the claimed jobs
 * running in the same transaction, whose locks keep them.
 */
export async function claimJobs(tables: Tables, query: DueJobsQuery): Promise<ClaimedJobs> {
  const { contenders, next } = await readDueJobs(tables, query);
  const taken = takeTurns(contenders, query.max);
  const last = taken.at(-1)?.company_id ?? contenders.at(-1)?.company ?? query.last;
  const { claims, blocked } = await claimQueued(tables, taken);
  const isUnseen = contenders.length >= maxCompanies && taken.length < query.max;
  return { claims, last, next, hasMore: isUnseen || claims.length + blocked < taken.length };
}

/**
 * Claims jobs that were read without a lock, as far as they are still queued and may start now. Those that running jobs
 * or pauses block leave the queue.
 * @returns how many running jobs block.
 */
export async function claimQueued(
  tables: Tables,
  due: readonly DueJob[],
): Promise<{ claims: Claim[]; blocked: number }> {
  if (due.length === 0) return { claims: [], blocked: 0 };
  const now = await tables.now();
  const locked = new Set(await lockTemplatesOf(tables, due, 'skip'));
  const full = await lockLimited(
    tables,
    due.map(({ company_id }) => company_id),
  );
  const free = due.filter(({ id, company_id }) => locked.has(id) && !full.has(company_id));
  const pauses = await readPauses(tables, free);
  const paused = new Set(free.filter((job) => pauses.at(job, now)).map((job) => job.runtemplate_id));
  await blockDueJobs(tables, [...paused]);
  const startable = free.filter((job) => !paused.has(job.runtemplate_id));
  const { claims, blocked } = await applyOverlap(tables, await stillQueued(tables, startable), now);
  await blockJobs(
    tables,
    blocked.map(({ claim }) => claim.job.id),
  );
  for (const claim of blocked) {
    await yieldToEventLoop();
    await stopReplacedJobs(tables, claim);
  }
  return { claims: await withinPlaces(tables, claims), blocked: blocked.length };
}

/** Reads the jobs that are queued as they were when they were found, in that order. */
async function stillQueued(tables: Tables, due: readonly DueJob[]): Promise<JobRow[]> {
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  const jobs = new Map((await tables.of(Job).find({ where: [['id', 'in', ids]] })).map((job) => [job.id, job]));
  return due.flatMap(({ id, queue_at, executor }) => {
    const job = jobs.get(id);
    return job?.state === 'scheduled' && job.queue_at === queue_at && job.executor === executor ? [job] : [];
  });
}

/** Leaves out the claims for which their companies, which it locks, have no place left by their `max_running`. */
export async function withinPlaces(tables: Tables, claims: readonly Claim[]): Promise<Claim[]> {
  const companies = claims.map(({ job }) => job.company_id);
  const places = new Map(await readPlaces(tables, companies, 'wait'));
  return claims.filter(({ job: { company_id } }) => {
    const free = places.get(company_id);
    if (free !== undefined) places.set(company_id, free - 1);
    return free === undefined || free > 0;
  });
}
