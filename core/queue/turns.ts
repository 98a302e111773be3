import type { JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';

/** A job that is queued, and by what its company orders it. */
export interface DueJob
  extends Pick<JobRow, 'id' | 'runtemplate_id' | 'company_id' | 'caught_up' | 'rank' | 'executor'> {
  readonly queue_at: Instant;
}

/** A company whose jobs are due, and what of this worker's slots it may have. */
export interface Contender {
  readonly company: number;
  /** How many slots its jobs use. */
  readonly used: number;
  /** How many slots its jobs may use; Infinity = all. */
  readonly limit: number;
  /** Its due jobs, in the order in which they are to start. */
  readonly jobs: readonly DueJob[];
}

/**
 * Returns how many of a worker's slots one company may hold while another one is enabled: all but the last quarter, at
 * least one of them. A single slot cannot be divided; it goes round.
 */
export function shareOf(capacity: number): number {
  return capacity <= 1 ? capacity : capacity - Math.max(1, Math.floor(capacity / 4));
}

/**
 * Fills free slots: each goes to the company that holds the fewest, of several to the first in the order given; caught-up
 * jobs have those that no company wants for what is owed now. No slot stays free while a company below its limit has a job
 * left.
 * @param contenders in the order of their turns; see `inTurn`.
 * @returns the jobs in the order in which they were chosen.
 */
export function takeTurns(contenders: readonly Contender[], slots: number): DueJob[] {
  const waiting = contenders.map(
    ({ used, limit, jobs }): Waiting => ({ used, limit, left: jobs.values(), next: jobs[0] }),
  );
  for (const each of waiting) each.left.next();
  const taken: DueJob[] = [];
  while (taken.length < slots) {
    let turn: Able | undefined;
    for (const each of waiting) if (isAble(each) && (!turn || isBefore(each, turn))) turn = each;
    if (!turn) break;
    taken.push(turn.next);
    turn.used += 1;
    (turn as Waiting).next = turn.left.next().value;
  }
  return taken;
}

/** A company, as its slots and its jobs are while slots are filled. */
interface Waiting {
  used: number;
  readonly limit: number;
  /** Its jobs after the next one. */
  readonly left: Iterator<DueJob, undefined>;
  next: DueJob | undefined;
}

/** A company that may have a further slot, and has a job for it. */
type Able = Waiting & { readonly next: DueJob };

function isAble(company: Waiting): company is Able {
  return company.next !== undefined && company.used < company.limit;
}

function isBefore(one: Able, other: Able): boolean {
  return one.next.caught_up === other.next.caught_up ? one.used < other.used : other.next.caught_up;
}

/** Sorts companies by their ids, beginning behind the one that was last served, so that turns go round. */
export function inTurn(companies: Iterable<number>, last: number): number[] {
  const ascending = [...companies].sort((a, b) => a - b);
  return [...ascending.filter((id) => id > last), ...ascending.filter((id) => id <= last)];
}

/** The order in which jobs of one company start: those that are owed now, by priority, then when they are due. */
export function inOrder(a: DueJob, b: DueJob): number {
  return Number(a.caught_up) - Number(b.caught_up) || a.rank - b.rank || a.queue_at - b.queue_at || a.id - b.id;
}
