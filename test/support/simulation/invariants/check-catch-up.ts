import type { TaskRow } from '@horarium/core';
import type { SimulationResult } from '../simulation.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** The scheduler spreads a backlog of this size over several ticks, which this check cannot tell apart. */
const batchLimit = 100;

/** Checks that `catch_up` decides which Tasks of a backlog run: all, the latest window or none; the others are missed. */
export function checkCatchUp(
  { templates, tasks, log }: FinalState,
  { people: { histories }, wasSetBack }: Pick<SimulationResult, 'people' | 'wasSetBack'>,
  findings: Findings,
): void {
  // Among the windows that come again after the clock was set back, some have their Tasks already.
  if (wasSetBack) return;
  const createdStates = new Map(
    log
      .filter((entry) => entry.entity_type === 'Task' && entry.action === 'create' && entry.actor === 'scheduler')
      .map((entry) => [entry.entity_id, entry.changes['state']?.[1]]),
  );
  const catchUpOf = new Map(templates.map((template) => [template.id, template.catch_up]));
  // Windows from before a template was deactivated or got a new cadence still get Tasks, which do not run whatever catch_up is.
  const isWaived = ({ runtemplate_id: id, window_start, created_at }: TaskRow) =>
    histories.get(id)?.waivers.some((waiver) => window_start <= waiver.at && waiver.at <= created_at);
  const scheduled = tasks.filter((task) => createdStates.has(task.id) && !isWaived(task));
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
        task.caught_up === caughtUp && createdStates.get(task.id) === state,
        () =>
          `Task ${task.id} (${isoTime(task.window_start)}, created at ${isoTime(task.created_at)}) was created ${createdStates.get(task.id)} under catch_up ${catchUp}.`,
      );
    }
  }
}
