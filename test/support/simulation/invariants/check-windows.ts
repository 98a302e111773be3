import type { JobRow } from '@horarium/core';
import { changesIn } from '#core/audit/shared-entries';
import type { People } from '../world/people.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** How far the store's clock may be set back: it then shows moments before a change again. */
const tolerance = 1000;

/** Checks that each owed window has exactly one Task, that waived ones start no job, and that no schedule is behind. */
export function checkWindows(
  { templates, tasks, schedules, jobs, log, now }: FinalState,
  { histories, repetitions }: Pick<People, 'histories' | 'repetitions'>,
  findings: Findings,
): void {
  const byTask = groupBy(jobs, (job) => job.task_id);
  const byTemplate = groupBy(tasks, (task) => task.runtemplate_id);
  const firstStarts = firstStartsIn(log);
  const startOf = ({ id }: JobRow) => firstStarts.get(id) ?? null;
  const jobsByTemplate = groupBy(jobs, (job) => job.runtemplate_id);
  for (const { id } of templates) {
    const owed = histories.get(id)?.owedStarts(now) ?? new Set();
    const doubtful = histories.get(id)?.ambiguousStarts() ?? new Set();
    const own = byTemplate.get(id) ?? [];
    const starts = own.map((task) => task.window_start);
    const backfilled = new Set(own.filter((task) => task.backfilled).map((task) => task.window_start));
    const created = new Set(starts);
    findings.check(created.size === starts.length, () => `Template ${id} has two Tasks for one window.`);
    for (const start of owed)
      findings.check(created.has(start), () => `The window of template ${id} at ${isoTime(start)} has no Task.`);
    for (const start of created)
      findings.check(
        owed.has(start) || doubtful.has(start) || backfilled.has(start),
        () => `The window of template ${id} at ${isoTime(start)} was not owed.`,
      );
    for (const waiver of histories.get(id)?.waivers ?? []) {
      const until = waiver.shown + tolerance;
      for (const job of jobsByTemplate.get(id) ?? []) {
        const isStarted = (byTask.get(job.task_id) ?? []).some((other) => (startOf(other) ?? Infinity) <= until);
        const isOwed = !waiver.deactivated && (job.task_id === null || isStarted || repetitions.has(job.id));
        findings.check(
          isOwed || job.created_at >= waiver.at - tolerance || (startOf(job) ?? 0) <= until,
          () =>
            `Job ${job.id} of template ${id} was started although the template ${waiver.deactivated ? 'was deactivated' : 'got a new cadence'} at ${isoTime(waiver.at)}.`,
        );
      }
    }
    const ended = (jobsByTemplate.get(id) ?? []).map((job) => job.state);
    const successful = ended.filter((state) => state === 'succeeded').length;
    const failed = ended.filter((state) => state === 'failed' || state === 'timed_out' || state === 'lost').length;
    const schedule = schedules.find((row) => row.runtemplate_id === id);
    findings.check(
      schedule?.successful_jobs_count === successful && schedule.failed_jobs_count === failed,
      () =>
        `Template ${id} counts ${schedule?.successful_jobs_count} and ${schedule?.failed_jobs_count}; there were ${successful} successes and ${failed} failures.`,
    );
    findings.check(
      schedule?.backlog === null && (schedule.next_window === null || schedule.next_window > now),
      () => `Template ${id} is behind.`,
    );
  }
}

/** Returns when jobs were started first: one that its agent did not get then is started again. */
function firstStartsIn(log: FinalState['log']): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const { entity_type, entity_id, changes } of changesIn(log)) {
    const start = changes['started_at']?.[1];
    if (entity_type === 'Job' && typeof start === 'string' && !starts.has(entity_id))
      starts.set(entity_id, Date.parse(start));
  }
  return starts;
}
