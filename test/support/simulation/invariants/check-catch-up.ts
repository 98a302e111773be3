import type { TaskRow } from '@horarium/core';
import type { TemplateHistory } from '../world/template-history.ts';
import { at, type Findings, groupBy, type Ledger } from './findings.ts';

/** From so many windows of one template on they are scheduled in several ticks, which know nothing of each other. */
const mostAtOnce = 200;

/** Windows that were over when they were scheduled: which of them are still run is the template's choice. */
export function checkCatchUp(
  { templates, tasks, log }: Ledger,
  histories: ReadonlyMap<number, TemplateHistory>,
  findings: Findings,
): void {
  const byScheduler = new Map(
    log
      .filter((entry) => entry.entity_type === 'Task' && entry.action === 'create' && entry.actor === 'scheduler')
      .map((entry) => [entry.entity_id, entry.changes['state']?.[1]]),
  );
  const catchUpOf = new Map(templates.map((template) => [template.id, template.catch_up]));
  // What a template owed before it was recut or switched off is only entered afterwards, and run no more.
  const isLifted = ({ runtemplate_id: id, window_start, created_at }: TaskRow) =>
    histories.get(id)?.cuts.some((cut) => window_start <= cut.at && cut.at <= created_at);
  const scheduled = tasks.filter((task) => byScheduler.has(task.id) && !isLifted(task));
  for (const batch of groupBy(scheduled, (task) => `${task.runtemplate_id} ${task.created_at}`).values()) {
    if (batch.length >= mostAtOnce) continue;
    const passed = batch.filter((task) => task.window_end <= task.created_at);
    const newest = passed.reduce<TaskRow | undefined>(
      (a, b) => (a && a.window_start > b.window_start ? a : b),
      undefined,
    );
    for (const task of batch) {
      const catchUp = catchUpOf.get(task.runtemplate_id);
      const caughtUp = passed.includes(task) && (catchUp === 'all' || (catchUp === 'latest' && task === newest));
      const state = passed.includes(task) && !caughtUp ? 'missed' : 'open';
      findings.check(
        task.caught_up === caughtUp && byScheduler.get(task.id) === state,
        () =>
          `Task ${task.id} (${at(task.window_start)}, made at ${at(task.created_at)}) began ${byScheduler.get(task.id)}, under catch_up ${catchUp}.`,
      );
    }
  }
}
