import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { localDaysIn, startOfDay } from '../time/local-time.ts';
import { Task, type TaskState, taskStates } from './task.ts';
import { summarizeTasks } from './task-summary.ts';

/** How many templates and days one answer has: as many as a page of templates, and thirteen weeks. */
export const maxDayTemplates = 50;
export const maxTaskDays = 91;

/** What became of the Tasks of a template on the last days of its own zone, by the days on which their windows began. */
export interface TaskDays {
  readonly runtemplate_id: number;
  readonly timezone: string;
  /** The last of the days, which is today in that zone: `2026-11-30`. */
  readonly until: string;
  /** How many Tasks of each state there are on each day, the oldest first. A state without Tasks is missing. */
  readonly counts: Readonly<Partial<Record<TaskState, readonly number[]>>>;
}

/**
 * Counts the Tasks of the templates that the actor may see by state and day, for each template in the days of its own zone.
 * Tasks that are no longer kept are counted on the day of the template's zone on which that of the service began.
 * @param days how many, the last of which is today.
 */
export async function countTaskDays(
  tables: Tables,
  actor: Actor,
  { templateIds, days }: { readonly templateIds: readonly number[]; readonly days: number },
): Promise<TaskDays[]> {
  const now = await tables.now();
  const templates = await tables.of(RunTemplate).find({
    where: [['id', 'in', templateIds], ...visibleTo(actor, RunTemplate)],
    columns: ['id', 'timezone'],
  });
  const found: TaskDays[] = [];
  for (const [timezone, ofZone] of Map.groupBy(templates, (template) => template.timezone)) {
    await yieldToEventLoop();
    const ids = ofZone.map(({ id }) => id);
    const range = { from: startOfDay(now, timezone, days - 1), to: startOfDay(now, timezone, -1) - 1 };
    const filters = { runtemplate_id: ids };
    const rows = await summarizeTasks(tables, visibleTo(actor, Task), { ...range, filters, timezone });
    const names = localDaysIn(range, timezone).map(({ day }) => day);
    const indexes = new Map(names.toReversed().map((day, index) => [day, index]));
    const byTemplate = Map.groupBy(rows, ({ runtemplate_id }) => runtemplate_id);
    for (const id of ids) {
      const ofTemplate = byTemplate.get(id) ?? [];
      const counts = Object.fromEntries(
        taskStates
          .filter((state) => ofTemplate.some((row) => row[state] > 0))
          .map((state) => {
            const list = new Array<number>(names.length).fill(0);
            for (const row of ofTemplate) list[indexes.get(row.day) as number] = row[state];
            return [state, list];
          }),
      );
      found.push({ runtemplate_id: id, timezone, until: names[0] as string, counts });
    }
  }
  return found;
}
