import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';

/** How the windows of a template have gone since the last one that was not on time. */
export interface Recovery {
  /** When the first window after it was fulfilled in time; null = none was. */
  readonly recovered_at: Instant | null;
  /** How many windows were fulfilled in time since, one after the other up to now. */
  readonly fulfilled_since: number;
}

export const notRecovered = { recovered_at: null, fulfilled_since: 0 } as const satisfies Recovery;

/** How many Tasks are read at once to find the first one of each template. */
const maxRead = 500;

/**
 * Adds to problems of Tasks that have ended how their templates have done since, in a count of all and a look at the first.
 * @param lastUnmet when the last window began that was not on time, by template.
 */
export async function withRecoveries<T extends Recovery & { readonly runtemplate_id: number | null }>(
  tables: Tables,
  problems: readonly T[],
  lastUnmet: ReadonlyMap<number, Instant>,
): Promise<T[]> {
  const templates = [...lastUnmet.keys()];
  if (templates.length === 0) return [...problems];
  const log = tables.of(Task);
  const counts = await log.countBy(['runtemplate_id'], fulfilledAfter(lastUnmet, templates));
  const recoveries = new Map<number | null, Recovery>();
  const counted = new Map(counts.map(({ values: [template], count }) => [template, count]));
  for (let left = [...counted.keys()]; left.length > 0; ) {
    await yieldToEventLoop();
    const tasks = await log.find({
      where: fulfilledAfter(lastUnmet, left),
      order: [['window_start', 'asc']],
      limit: maxRead,
      columns: ['runtemplate_id', 'fulfilled_at', 'ended_at'],
    });
    if (tasks.length === 0) break;
    for (const { runtemplate_id, fulfilled_at, ended_at } of tasks)
      if (!recoveries.has(runtemplate_id))
        recoveries.set(runtemplate_id, {
          recovered_at: fulfilled_at ?? ended_at,
          fulfilled_since: counted.get(runtemplate_id) ?? 0,
        });
    left = left.filter((template) => !recoveries.has(template));
  }
  return problems.map((problem) => ({ ...problem, ...recoveries.get(problem.runtemplate_id) }));
}

/** The condition for Tasks that were fulfilled in time in windows after the last one of their template that was not. */
function fulfilledAfter(lastUnmet: ReadonlyMap<number, Instant>, templates: readonly number[]): Where<TaskRow> {
  const any = templates.map(
    (template): Where<TaskRow> => [
      ['runtemplate_id', '=', template],
      ['window_start', '>', lastUnmet.get(template) ?? 0],
    ],
  );
  return [{ any }, ['state', '=', 'fulfilled'], ['backfilled', '=', false]];
}
