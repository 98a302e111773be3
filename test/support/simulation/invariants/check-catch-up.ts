import type { TaskRow } from '@horarium/core';
import type { TemplateHistory } from '../world/template-history.ts';
import { at, type Findings, groupBy, type Ledger } from './findings.ts';

/** So many windows of one template are scheduled in several ticks, which this check cannot join. */
const batchLimit = 200;

/** Checks that of the windows that had passed when they were scheduled exactly those are run that catch_up says. */
export function checkCatchUp(
  { templates, tasks, log }: Ledger,
  histories: ReadonlyMap<number, TemplateHistory>,
  findings: Findings,
): void {
  const firstStates = new Map(
    log
      .filter((entry) => entry.entity_type === 'Task' && entry.action === 'create' && entry.actor === 'scheduler')
      .map((entry) => [entry.entity_id, entry.changes['state']?.[1]]),
  );
  const catchUpOf = new Map(templates.map((template) => [template.id, template.catch_up]));
  // Windows from before a template was deactivated or got a new cadence still get their Tasks, but are not run.
  const isWaived = ({ runtemplate_id: id, window_start, created_at }: TaskRow) =>
    histories.get(id)?.waivers.some((waiver) => window_start <= waiver.at && waiver.at <= created_at);
  const scheduled = tasks.filter((task) => firstStates.has(task.id) && !isWaived(task));
  for (const batch of groupBy(scheduled, (task) => `${task.runtemplate_id} ${task.created_at}`).values()) {
    if (batch.length >= batchLimit) continue;
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
        task.caught_up === caughtUp && firstStates.get(task.id) === state,
        () =>
          `Task ${task.id} (${at(task.window_start)}, made at ${at(task.created_at)}) began ${firstStates.get(task.id)}, under catch_up ${catchUp}.`,
      );
    }
  }
}
