import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';

/** How the windows of a template have gone since the last one that was not on time. */
export interface Recovery {
  /** When the first window after it was fulfilled in time; null = none was. */
  readonly recovered_at: Instant | null;
  /** How many windows were fulfilled in time since, one after the other up to now: at most 100. */
  readonly fulfilled_since: number;
}

/** How many windows after a problem are counted. */
export const maxFulfilledSince = 100;

export const notRecovered = { recovered_at: null, fulfilled_since: 0 } as const satisfies Recovery;

/**
 * Adds to problems of Tasks that have ended how their templates have done since.
 * @param lastUnmet when the last window began that was not on time, by template.
 */
export async function withRecoveries<T extends Recovery & { readonly runtemplate_id: number | null }>(
  tables: Tables,
  problems: readonly T[],
  lastUnmet: ReadonlyMap<number, Instant>,
): Promise<T[]> {
  const templates = [...lastUnmet];
  if (templates.length === 0) return [...problems];
  const log = tables.of(Task);
  // Each by itself, because an index has the windows of one: databases find those of several in ways that take far longer.
  const found = templates.map(async ([id, window]) => {
    await yieldToEventLoop();
    const [first, ...further] = await log.find({
      where: [
        ['runtemplate_id', '=', id],
        ['window_start', '>', window],
        ['state', '=', 'fulfilled'],
        ['backfilled', '=', false],
      ],
      order: [['window_start', 'asc']],
      limit: maxFulfilledSince,
      columns: ['fulfilled_at', 'ended_at'],
    });
    if (!first) return [];
    return [[id, { recovered_at: first.fulfilled_at ?? first.ended_at, fulfilled_since: 1 + further.length }] as const];
  });
  const recoveries = new Map<number | null, Recovery>((await Promise.all(found)).flat());
  return problems.map((problem) => ({ ...problem, ...recoveries.get(problem.runtemplate_id) }));
}
