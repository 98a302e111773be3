import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';

/** How the windows of a template have gone since the last one that was not fulfilled. */
export interface Recovery {
  /** When the first window after it was fulfilled, in time or late; null = none was. */
  readonly recovered_at: Instant | null;
  /** How many windows were fulfilled since, one after the other up to now: at most 100. */
  readonly fulfilled_since: number;
}

/** How many windows after a problem are counted. */
export const maxFulfilledSince = 100;

export const notRecovered = { recovered_at: null, fulfilled_since: 0 } as const satisfies Recovery;

/** A problem of a window of a template. */
type ProblemOfWindow = Recovery & { readonly runtemplate_id: number | null; readonly window_start: Instant | null };

/**
 * Adds to problems of Tasks that have ended how their templates have done since.
 * @param lastUnmet when the last window began that was not fulfilled, by template.
 */
export async function withRecoveries<T extends ProblemOfWindow>(
  tables: Tables,
  problems: readonly T[],
  lastUnmet: ReadonlyMap<number, Instant>,
): Promise<T[]> {
  // Each by itself, because an index has the windows of one: databases find those of several in ways that take far longer.
  const recovered = problems.map(async (problem) => {
    await yieldToEventLoop();
    const { runtemplate_id: id, window_start } = problem;
    if (id === null || window_start === null) return problem;
    const after = Math.max(window_start, lastUnmet.get(id) ?? window_start);
    return { ...problem, ...(await recoveryOf(tables, id, after)) };
  });
  return Promise.all(recovered);
}

async function recoveryOf(tables: Tables, templateId: number, after: Instant): Promise<Recovery> {
  const [first, ...further] = await tables.of(Task).find({
    where: [
      ['runtemplate_id', '=', templateId],
      ['window_start', '>', after],
      ['state', 'in', ['fulfilled', 'fulfilled_late']],
      ['backfilled', '=', false],
    ],
    order: [['window_start', 'asc']],
    limit: maxFulfilledSince,
    columns: ['fulfilled_at', 'ended_at'],
  });
  if (!first) return notRecovered;
  return { recovered_at: first.fulfilled_at ?? first.ended_at, fulfilled_since: 1 + further.length };
}
