import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { isOnlyCompany } from '../queue/due-rows.ts';
import { type Contender, type DueJob, inOrder, inTurn, shareOf } from '../queue/turns.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { readPlaces } from './company-places.ts';

/** The slots of a worker, and who has them. */
export interface WorkerSlots {
  readonly capacity: number;
  /** How many each company uses. */
  readonly used: ReadonlyMap<number, number>;
}

export interface DueJobsQuery {
  readonly executors: readonly string[];
  readonly slots: WorkerSlots;
  /** How many jobs are wanted. */
  readonly max: number;
  /** The company that was last served. */
  readonly last: number;
}

export interface DueJobs {
  /** The companies with due jobs, in the order of their turns. */
  readonly contenders: readonly Contender[];
  /** When the next job is due that is not yet; Infinity = none is queued, or more are due than wanted. */
  readonly next: Instant;
}

/** How many companies are looked at in one claim when more jobs are due than wanted; the next claim goes on behind them. */
export const maxCompanies = 32;
/** How many jobs of all companies are read then. */
const maxCandidates = 1000;

const columns = ['id', 'runtemplate_id', 'company_id', 'caught_up', 'rank', 'queue_at', 'executor'] as const;
const byTurn = [
  ['company_id', 'asc'],
  ['caught_up', 'asc'],
  ['rank', 'asc'],
  ['queue_at', 'asc'],
  ['id', 'asc'],
] as const;

/**
 * Which jobs are looked for: those of executors that workers start attempts of, or those for agents of one placement. The
 * condition on the placement comes first, and that on executors last, as in the indexes of each.
 */
type Selector = Pick<DueJobsQuery, 'executors'> | { readonly placement: string };

/** Adds the selector to conditions. */
function select(selector: Selector, conditions: Where<JobRow>): Where<JobRow> {
  return 'placement' in selector
    ? [['placement', '=', selector.placement], ...conditions]
    : [...conditions, ['executor', 'in', selector.executors]];
}

/**
 * Reads due jobs by company, the companies in the order of their turns. All of them where there are fewer than wanted.
 * Otherwise it steps through the companies that have some, by an index, and reads the first ones of each, so that its cost
 * does not grow with the jobs that one company has due.
 */
export async function readDueJobs(tables: Tables, query: DueJobsQuery): Promise<DueJobs> {
  const { executors, slots, max, last } = query;
  const now = await tables.now();
  const queued = await earliestJobs(tables, executors, max);
  const due = queued.filter((job) => job.queue_at <= now);
  if (queued.length === 0) return { contenders: [], next: Infinity };
  const limit = await limitOf(tables, slots);
  if (due.length < max) {
    const next = queued[due.length]?.queue_at ?? Infinity;
    const byCompany = Map.groupBy(due, (job) => job.company_id);
    const jobs = inTurn(byCompany.keys(), last).map((id) => [id, (byCompany.get(id) ?? []).sort(inOrder)] as const);
    return { contenders: await contend(tables, jobs, { slots, limit }), next };
  }
  const contenders = await firstContenders(tables, { executors }, { slots, max, last, limit });
  // Those that have no place wait for one of their own; a job of another company may be due before.
  const full = contenders.filter((each) => each.used >= each.limit).map(({ company }) => company);
  const next = full.length === contenders.length ? await nextOfOthers(tables, executors, full) : Infinity;
  return { contenders, next };
}

export interface PlacedJobsQuery extends Pick<DueJobsQuery, 'slots' | 'max' | 'last'> {
  /** Those whose jobs the agent may run at this placement; null = all. */
  readonly companies: ReadonlySet<number> | null;
  /** Whether the agent runs jobs of several companies, so that one of them leaves slots to the others. */
  readonly isShared: boolean;
}

/** Reads due jobs for agents of one placement by company, as `readDueJobs` does where more are due than wanted. */
export async function readPlacedJobs(
  tables: Tables,
  placement: string,
  { isShared, ...query }: PlacedJobsQuery,
): Promise<readonly Contender[]> {
  const limit = isShared ? await limitOf(tables, query.slots) : Infinity;
  return firstContenders(tables, { placement }, { ...query, limit });
}

interface FirstQuery extends Pick<DueJobsQuery, 'slots' | 'max' | 'last'> {
  /** How many slots one company may use. */
  readonly limit: number;
  /** @default those of all companies */
  readonly companies?: ReadonlySet<number> | null;
}

/** Steps through the companies that have due jobs, and reads the first ones of each. */
async function firstContenders(
  tables: Tables,
  selector: Selector,
  { slots, max, last, limit, companies = null }: FirstQuery,
): Promise<readonly Contender[]> {
  const isFull = (company: number) =>
    (slots.used.get(company) ?? 0) >= limit || (companies !== null && !companies.has(company));
  const inTurns = await companiesInTurn(tables, selector, { max, last, isFull });
  const share = Math.min(max, Math.ceil(maxCandidates / inTurns.length));
  const first = (id: number) => firstJobs(tables, selector, [['company_id', '=', id]], share);
  return contend(tables, await Promise.all(inTurns.map(async (id) => [id, await first(id)] as const)), {
    slots,
    limit,
  });
}

/** Returns how many slots one company may use. */
async function limitOf(tables: Tables, { capacity }: WorkerSlots): Promise<number> {
  return (await isOnlyCompany(tables)) ? Infinity : shareOf(capacity);
}

async function contend(
  tables: Tables,
  jobs: readonly (readonly [company: number, jobs: readonly DueJob[]])[],
  { slots, limit }: Pick<FirstQuery, 'slots' | 'limit'>,
): Promise<readonly Contender[]> {
  const places = await readPlaces(
    tables,
    jobs.map(([company]) => company),
  );
  return jobs.map(([company, own]): Contender => {
    const used = slots.used.get(company) ?? 0;
    return { company, used, limit: Math.min(limit, used + (places.get(company) ?? Infinity)), jobs: own };
  });
}

/** Returns when the next job is queued for that is not due yet and belongs to none of these companies. */
async function nextOfOthers(
  tables: Tables,
  executors: readonly string[],
  companies: readonly number[],
): Promise<Instant> {
  const others = companies.map((company): Condition<JobRow> => ['company_id', '!=', company]);
  const where = [['queue_at', '>', await tables.now()], ...others, ['executor', 'in', executors]] as Where<JobRow>;
  const [next] = await tables.of(Job).find({ where, order: [['queue_at', 'asc']], limit: 1, columns: ['queue_at'] });
  return next?.queue_at ?? Infinity;
}

/** Returns when the next job of these executors is queued for; Infinity = none is. */
export async function nextQueued(tables: Tables, executors: readonly string[]): Promise<Instant> {
  const [earliest] = await earliestJobs(tables, executors, 1);
  return earliest?.queue_at ?? Infinity;
}

interface CompaniesQuery extends Pick<DueJobsQuery, 'max' | 'last'> {
  /** Whether the company may have no further slot. */
  isFull(company: number): boolean;
}

/** Lists companies with due jobs that may have a slot, in the order of their turns; not more than are wanted. */
async function companiesInTurn(
  tables: Tables,
  selector: Selector,
  { max, last, isFull }: CompaniesQuery,
): Promise<number[]> {
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
      const [first] = await firstJobs(tables, selector, where, 1);
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
  selector: Selector,
  companies: Where<JobRow>,
  limit: number,
): Promise<DueJob[]> {
  const due = select(selector, [...companies, ['queue_at', '<=', await tables.now()]]);
  return (await tables.of(Job).find({ where: due, order: byTurn, limit, columns })) as DueJob[];
}

/**
 * Reads queued jobs of these executors in the order in which they are due, one more than the maximum. An index holds
 * queued jobs alone, so that neither ended nor blocked ones slow it down; jobs of other executors are passed over.
 */
async function earliestJobs(tables: Tables, executors: readonly string[], max: number): Promise<DueJob[]> {
  const where: Where<JobRow> = [
    ['queue_at', '!=', null],
    ['executor', 'in', executors],
  ];
  return (await tables.of(Job).find({ where, order: [['queue_at', 'asc']], limit: max + 1, columns })) as DueJob[];
}
