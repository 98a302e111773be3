import { Job, type JobRow } from '../job/job.ts';
import { blockJobs } from '../job/pending-jobs.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { lockLimited, readPlaces } from '../queue/company-places.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { applyOverlap, type Claim, stopReplacedJobs } from './overlap.ts';

// A claim is counted in the store before the job is prepared, and uncounted when the worker gives it back. What stays
// counted of a job that never started is the number of workers that died while they prepared it.

/**
 * A claim that is counted in the store. The job is this worker's while its count and its time in the queue are those of
 * the claim: once that time has come, another worker may claim it.
 */
export interface CountedClaim extends Pick<JobRow, 'id' | 'runtemplate_id' | 'company_id' | 'claims'> {
  readonly queue_at: Instant;
}

/**
 * Counts the claims that are to be prepared together, and leaves their jobs to this worker.
 * @param until when other workers may claim the jobs.
 */
export async function countClaims(
  tables: Tables,
  claims: readonly Claim[],
  until: Instant,
): Promise<readonly CountedClaim[]> {
  const claimed = claims.map(({ job: { id, runtemplate_id, company_id, claims: before } }) => {
    return { id, runtemplate_id, company_id, claims: before + 1, queue_at: until };
  });
  const batch = preparedTogether(claimed);
  const [first] = batch;
  if (!first) return [];
  const ids = batch.map(({ id }) => id);
  await tables.of(Job).updateWhere([['id', 'in', ids]], { claims: first.claims, queue_at: until });
  return batch;
}

/**
 * Returns the claims to prepare in one transaction: the first one alone if an earlier claim of its job was not given back,
 * otherwise all of which that is not so. So a job that ends its workers is counted, but those beside it are not.
 */
function preparedTogether(claims: readonly CountedClaim[]): readonly CountedClaim[] {
  const [first] = claims;
  return first && isRepeated(first) ? [first] : claims.filter((claim) => !isRepeated(claim));
}

function isRepeated({ claims }: CountedClaim): boolean {
  return claims > 1;
}

/** Counted claims under the locks of their templates. */
export interface TakenClaims {
  /** Those to prepare. */
  readonly claims: readonly Claim[];
  /** Those left for the next transaction. */
  readonly kept: readonly CountedClaim[];
}

/**
 * Takes counted claims to prepare their jobs: locks the templates and applies the overlap rules again, because jobs and
 * templates may have changed since the claim. What may not start is given back.
 */
export async function takeClaims(tables: Tables, counted: readonly CountedClaim[]): Promise<TakenClaims> {
  if (counted.length === 0) return { claims: [], kept: [] };
  const lockedIds = new Set(await lockTemplatesOf(tables, preparedTogether(counted), 'skip'));
  const others = await lockLimited(
    tables,
    counted.map(({ company_id }) => company_id),
  );
  const locked = counted.filter(({ id, company_id }) => lockedIds.has(id) && !others.has(company_id));
  const jobs = await ownJobs(tables, locked);
  const { claims, blocked } = await applyOverlap(tables, jobs, await tables.now());
  const startable = await withinPlaces(tables, claims);
  const taken = new Set(startable.map(({ job }) => job.id));
  await returnClaims(
    tables,
    locked.filter(({ id }) => !taken.has(id)),
  );
  await blockJobs(
    tables,
    blocked.map(({ claim }) => claim.job.id),
  );
  for (const claim of blocked) {
    await yieldToEventLoop();
    await stopReplacedJobs(tables, claim);
  }
  const own = new Set(locked.map(({ id }) => id));
  return { claims: startable, kept: counted.filter(({ id }) => !own.has(id)) };
}

/** Leaves out the claims for which their companies, which it locks, have no place left by their `max_running`. */
export async function withinPlaces(tables: Tables, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const companies = claims.map(({ job }) => job.company_id);
  const places = new Map(await readPlaces(tables, companies, 'wait'));
  return claims.filter(({ job: { company_id } }) => {
    const free = places.get(company_id);
    if (free !== undefined) places.set(company_id, free - 1);
    return free === undefined || free > 0;
  });
}

/** Reads the jobs that are still this worker's, in the order of the claims. */
async function ownJobs(tables: Tables, counted: readonly CountedClaim[]): Promise<JobRow[]> {
  if (counted.length === 0) return [];
  const ids = counted.map(({ id }) => id);
  const scheduled = await tables.of(Job).find({
    where: [
      ['id', 'in', ids],
      ['state', '=', 'scheduled'],
    ],
  });
  const byId = new Map(scheduled.map((job) => [job.id, job]));
  return counted.flatMap((claim) => {
    const job = byId.get(claim.id);
    return job && job.claims === claim.claims && job.queue_at === claim.queue_at ? [job] : [];
  });
}

/** Gives claims back uncounted, and their jobs back to the queue; those that are not this worker's any more stay as they are. */
export async function returnClaims(tables: Tables, counted: readonly CountedClaim[]): Promise<void> {
  const now = await tables.now();
  for (const [claims, group] of Map.groupBy(counted, (claim) => claim.claims)) {
    await yieldToEventLoop();
    await tables.of(Job).updateWhere(
      [
        ['id', 'in', group.map(({ id }) => id)],
        ['state', '=', 'scheduled'],
        ['claims', '=', claims],
        ['queue_at', 'in', [...new Set(group.map(({ queue_at }) => queue_at))]],
      ],
      { claims: claims - 1, queue_at: now },
    );
  }
}
