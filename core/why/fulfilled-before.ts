import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';

/** How many Tasks before one are looked at, and how many of them first. */
const maxLooked = 1000;
const firstLooked = 10;

/**
 * Counts the Tasks of a template that were fulfilled in time, one after the other, right before a window: at most `maxLooked`.
 * @returns null = there is none before.
 */
export async function fulfilledBefore(
  tables: Tables,
  { runtemplate_id, window_start }: Pick<TaskRow, 'runtemplate_id' | 'window_start'>,
): Promise<number | null> {
  let before = window_start;
  let counted = 0;
  for (let limit = firstLooked; counted < maxLooked; limit = Math.min(counted * 4, maxLooked - counted)) {
    await yieldToEventLoop();
    const page = await tables.of(Task).find({
      where: [
        ['runtemplate_id', '=', runtemplate_id],
        ['window_start', '<', before],
      ],
      order: [['window_start', 'desc']],
      limit,
      columns: ['state', 'window_start'],
    });
    if (page.length === 0) return counted || null;
    const end = page.findIndex(({ state }) => state !== 'fulfilled');
    if (end >= 0) return counted + end;
    counted += page.length;
    if (page.length < limit) return counted;
    before = page.at(-1)?.window_start ?? 0;
  }
  return counted;
}
