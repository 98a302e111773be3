import { Company } from '../company/company.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { readPlaces } from './company-places.ts';
import { type Contender, type DueJob, inOrder, inTurn, shareOf } from './turns.ts';

/** The slots of a worker, and who has them. */
export interface Slots {
  readonly capacity: number;
  /** How many each company holds. */
  readonly held: ReadonlyMap<number, number>;
}

export interface DueJobsQuery {
  readonly executors: readonly string[];
  readonly slots: Slots;
  /** How many jobs are wanted. */
  readonly max: number;
  /** The company that was last served. */
  readonly last: number;
  /** Claims whose jobs do not run yet, although they hold slots. */
  readonly counted: readonly Pick<JobRow, 'id' | 'company_id'>[];
}

/** How many companies are looked at in one claim when more jobs are due than wanted; the next claim goes on behind them. */
const maxCompanies = 32;
/** How many jobs of all companies are read then. */
const maxCandidates = 1000;

const columns = ['id', 'runtemplate_id', 'company_id', 'caught_up', 'rank', 'queue_at'] as const;
const byTurn = [
  ['company_id', 'asc'],
  ['caught_up', 'asc'],
  ['rank', 'asc'],
  ['queue_at', 'asc'],
  ['id', 'asc'],
] as const;

/**
 * Reads due jobs by company, the companies in the order of their turns. All of them where there are fewer than wanted.
 * Otherwise it steps through the companies that have some, by an index, and reads the first ones of each, so that its cost
 * does not grow with the jobs that one company has due.
 */
export async function readContenders(tables: Tables, query: DueJobsQuery): Promise<Contender[]> {
  const { executors, slots, max, last, counted } = query;
  const now = await tables.now();
  const [limit, earliest] = await Promise.all([
    companyLimit(tables, slots),
    earliestJobs(tables, executors, [['queue_at', '<=', now]], max),
  ]);
  const contend = async (
    jobs: readonly (readonly [company: number, jobs: readonly DueJob[]])[],
  ): Promise<Contender[]> => {
    const places = await readPlaces(
      tables,
      jobs.map(([company]) => company),
    );
    return jobs.map(([company, own]) => {
      const held = heldBy(slots, company);
      const claimed = counted.filter((claim) => claim.company_id === company).length;
      const free = (places.get(company) ?? Infinity) - claimed;
      return { company, held, limit: Math.min(limit, held + free), jobs: own };
    });
  };
  if (earliest.length < max) {
    const byCompany = Map.groupBy(earliest, (job) => job.company_id);
    return contend(inTurn(byCompany.keys(), last).map((id) => [id, (byCompany.get(id) ?? []).sort(inOrder)]));
  }
  const isFull = (company: number) => heldBy(slots, company) >= limit;
  const companies = await companiesInTurn(tables, { executors, max, last, isFull });
  const share = Math.min(max, Math.ceil(maxCandidates / companies.length));
  const first = (id: number) => firstJobs(tables, executors, [['company_id', '=', id]], share);
  return contend(await Promise.all(companies.map(async (id) => [id, await first(id)] as const)));
}

/**
 * Returns the time until the next queued job of these executors is due; Infinity = none is queued. Jobs of companies that
 * may have no further slot, by their share or their `max_running`, do not count: a place that this worker frees makes it
 * look again, and one that another worker frees is found by the next poll.
 */
export async function untilNextJob(tables: Tables, executors: readonly string[], slots: Slots): Promise<Milliseconds> {
  const now = await tables.now();
  const [earliest] = await earliestJobs(tables, executors, [['queue_at', '!=', null]], 1);
  if (!earliest) return Infinity;
  if (earliest.queue_at > now) return earliest.queue_at - now;
  const full = await fullCompanies(tables, slots);
  const isFull = (company: number) => full.includes(company);
  if (!isFull(earliest.company_id) && (await atMaxRunning(tables, [earliest.company_id])).length === 0) return 0;
  const due = await companiesInTurn(tables, { executors, max: maxCompanies, last: 0, isFull });
  const waiting = await atMaxRunning(tables, due);
  // Where there are more companies than one claim looks at, claims go round.
  if (waiting.length < due.length || due.length === maxCompanies) return 0;
  const others = [...full, ...waiting].map((company): Condition<JobRow> => ['company_id', '!=', company]);
  const [next] = await earliestJobs(tables, executors, [['queue_at', '>', now], ...others], 1);
  return next ? next.queue_at - now : Infinity;
}

/** Returns those of the companies that run as many jobs as their `max_running` allows. */
async function atMaxRunning(tables: Tables, companies: readonly number[]): Promise<number[]> {
  const places = await readPlaces(tables, companies);
  return companies.filter((company) => (places.get(company) ?? Infinity) <= 0);
}

/** Lists the companies that may have no further slot. */
async function fullCompanies(tables: Tables, slots: Slots): Promise<number[]> {
  const share = shareOf(slots.capacity);
  const candidates = [...slots.held].filter(([, held]) => held >= share).map(([company]) => company);
  return candidates.length > 0 && (await companyLimit(tables, slots)) === share ? candidates : [];
}

/** Returns how many slots one company may hold; Infinity = all, because no other one is enabled. */
async function companyLimit(tables: Tables, { capacity }: Slots): Promise<number> {
  return (await isOnlyCompany(tables)) ? Infinity : shareOf(capacity);
}

/** Whether no second company is enabled, so that one may have all slots. */
export async function isOnlyCompany(tables: Tables): Promise<boolean> {
  return (await tables.of(Company).count([['enabled', '=', true]], 2)) < 2;
}

function heldBy({ held }: Slots, company: number): number {
  return held.get(company) ?? 0;
}

interface CompaniesQuery extends Omit<DueJobsQuery, 'slots' | 'counted'> {
  /** Whether the company may have no further slot. */
  isFull(company: number): boolean;
}

/** Lists companies with due jobs that may have a slot, in the order of their turns; not more than are wanted. */
async function companiesInTurn(tables: Tables, { executors, max, last, isFull }: CompaniesQuery): Promise<number[]> {
  // A few more than slots are free, because some may be at their `max_running`.
  const most = Math.min(max + 8, maxCompanies);
  const found: number[] = [];
  const collect = async (after: number, until: number): Promise<void> => {
    for (let at = after; found.length < most; ) {
      await yieldToEventLoop();
      const where: Where<JobRow> = [
        ['company_id', '>', at],
        ['company_id', '<=', until],
      ];
      const [first] = await firstJobs(tables, executors, where, 1);
      if (!first) return;
      at = first.company_id;
      if (!isFull(at)) found.push(at);
    }
  };
  await collect(last, Number.MAX_SAFE_INTEGER);
  await collect(0, last);
  return found;
}

/** Reads due jobs by company, and those of one company in the order in which they are to start. */
async function firstJobs(
  tables: Tables,
  executors: readonly string[],
  companies: Where<JobRow>,
  limit: number,
): Promise<DueJob[]> {
  const due: Where<JobRow> = [
    ['state', '=', 'scheduled'],
    ...companies,
    ['queue_at', '<=', await tables.now()],
    ['executor', 'in', executors],
  ];
  return queued(await tables.of(Job).find({ where: due, order: byTurn, limit, columns }));
}

/**
 * Reads queued jobs of these executors in the order in which they are due. One query for each executor follows an index
 * that leaves out blocked jobs, so their number does not slow it down.
 */
async function earliestJobs(
  tables: Tables,
  executors: readonly string[],
  when: Where<JobRow>,
  max: number,
): Promise<DueJob[]> {
  const byExecutor = await Promise.all(
    executors.map((executor) =>
      tables.of(Job).find({
        where: [['executor', '=', executor], ['state', '=', 'scheduled'], ...when],
        order: [['queue_at', 'asc']],
        limit: max,
        columns,
      }),
    ),
  );
  const found = queued(byExecutor.flat());
  return found.sort((a, b) => a.queue_at - b.queue_at || a.id - b.id).slice(0, max);
}

function queued(jobs: readonly (Omit<DueJob, 'queue_at'> & Pick<JobRow, 'queue_at'>)[]): DueJob[] {
  return jobs.filter((job): job is DueJob => job.queue_at !== null);
}
