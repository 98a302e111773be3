import type { JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';

/** A job that is queued, and by what its company orders it. */
export interface DueJob extends Pick<JobRow, 'id' | 'runtemplate_id' | 'company_id' | 'rank'> {
  readonly queue_at: Instant;
}

/** A company whose jobs are due, and what of this worker's slots it may have. */
export interface Contender {
  readonly company: number;
  /** How many slots its jobs hold. */
  readonly held: number;
  /** How many slots its jobs may hold; Infinity = all. */
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
 * Fills free slots: each goes to the company that holds the fewest, of several to the first in the order given. No slot
 * stays free while a company below its limit has a job left.
 * @param contenders in the order of their turns; see `inTurn`.
 * @returns the jobs in the order in which they were chosen.
 */
export function takeTurns(contenders: readonly Contender[], slots: number): DueJob[] {
  const waiting = contenders.map(({ held, limit, jobs }) => ({ held, limit, left: jobs.values(), next: jobs[0] }));
  for (const each of waiting) each.left.next();
  const taken: DueJob[] = [];
  while (taken.length < slots) {
    let turn: (typeof waiting)[number] | undefined;
    for (const each of waiting)
      if (each.next && each.held < each.limit && (!turn || each.held < turn.held)) turn = each;
    if (!turn?.next) break;
    taken.push(turn.next);
    turn.held += 1;
    turn.next = turn.left.next().value;
  }
  return taken;
}

/** Sorts companies by their ids, beginning behind the one that was last served, so that turns go round. */
export function inTurn(companies: Iterable<number>, last: number): number[] {
  const ascending = [...companies].sort((a, b) => a - b);
  return [...ascending.filter((id) => id > last), ...ascending.filter((id) => id <= last)];
}

/** The order in which jobs of one company start: by priority, then when they are due. */
export function inOrder(a: DueJob, b: DueJob): number {
  return a.rank - b.rank || a.queue_at - b.queue_at || a.id - b.id;
}
