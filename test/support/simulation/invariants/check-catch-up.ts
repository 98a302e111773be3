import { Pause, type PauseRow, type TaskRow } from '@horarium/core';
import { changesIn } from '#core/audit/shared-entries';
import type { SimulationResult } from '../simulation.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** Checks that `catch_up` decides which Tasks of a backlog run: all, the latest window or none; the others are missed. */
export function checkCatchUp(
  { templates, tasks, log, records }: FinalState,
  { people, wasSetBack }: Pick<SimulationResult, 'people' | 'wasSetBack'>,
  findings: Findings,
): void {
  // Among the windows that come again after the clock was set back, some have their Tasks already.
  if (wasSetBack) return;
  const createdStates = new Map(
    changesIn(log)
      .filter((entry) => entry.entity_type === 'Task' && entry.action === 'create' && entry.actor === 'scheduler')
      .map((entry) => [entry.entity_id, entry.changes['state']?.[1]]),
  );
  const catchUpOf = new Map(templates.map((template) => [template.id, template.catch_up]));
  // Windows from before a template was deactivated or got a new cadence still get Tasks, which do not run whatever catch_up is.
  const isWaived = ({ runtemplate_id: id, window_start, created_at }: TaskRow) =>
    people.histories.get(id)?.waivers.some((waiver) => window_start <= waiver.at && waiver.at <= created_at);
  const scheduled = tasks.filter((task) => createdStates.has(task.id) && !isWaived(task));
  const isPassed = (task: TaskRow) => task.window_end <= task.created_at;
  const pauses = records.get(Pause.name) as readonly PauseRow[];
  const mayCatchUp = pauses.some(({ catch_up }) => catch_up !== 'none') || people.pausing.haveDeleted;
  // A pause decides about the Tasks whose start deadlines lie in it.
  const isPaused = (task: TaskRow) =>
    task.reason?.includes('paused by ') || (mayCatchUp && task.caught_up && !isPassed(task));
  const check = (task: TaskRow, caughtUp: boolean, state: string) =>
    findings.check(
      isPaused(task) || (task.caught_up === caughtUp && createdStates.get(task.id) === state),
      () =>
        `Task ${task.id} (${isoTime(task.window_start)}, created at ${isoTime(task.created_at)}) was created ${createdStates.get(task.id)} under catch_up ${catchUpOf.get(task.runtemplate_id)}.`,
    );
  const current = scheduled.filter((task) => !isPassed(task));
  for (const task of current) check(task, false, 'open');
  const resumed = new Set(current.map((task) => `${task.runtemplate_id} ${task.window_start}`));
  const passedOf = groupBy(scheduled.filter(isPassed), (task) => task.runtemplate_id);
  for (const backlog of [...passedOf.values()].flatMap(backlogsOf)) {
    const newest = newestOf(backlog);
    for (const task of backlog) {
      const catchUp = catchUpOf.get(task.runtemplate_id);
      // It may have been the newest window of an outage before another one.
      if (catchUp === 'latest' && task !== newest && resumed.has(`${task.runtemplate_id} ${task.window_end}`)) continue;
      const caughtUp = catchUp === 'all' || (catchUp === 'latest' && task === newest);
      check(task, caughtUp, caughtUp ? 'open' : 'missed');
    }
  }
}

function newestOf(tasks: readonly TaskRow[]): TaskRow | undefined {
  return tasks.reduce<TaskRow | undefined>((a, b) => (a && a.window_start > b.window_start ? a : b), undefined);
}

/** Divides the Tasks of windows that passed by when they were created; those of a backlog that several ticks have written stay together. */
function backlogsOf(tasks: readonly TaskRow[]): TaskRow[][] {
  const backlogs: TaskRow[][] = [];
  const batches = groupBy(tasks, (task) => task.created_at);
  for (const [, batch] of [...batches].sort(([a], [b]) => a - b)) {
    const last = backlogs.at(-1);
    const writtenUntil = last?.at(-1)?.created_at ?? 0;
    if (last && batch.some((task) => task.window_end <= writtenUntil)) last.push(...batch);
    else backlogs.push(batch);
  }
  return backlogs;
}
