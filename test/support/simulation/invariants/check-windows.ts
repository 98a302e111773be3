import type { JobRow } from '@horarium/core';
import { changesIn } from '#core/audit/shared-entries';
import type { People } from '../world/people.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** Checks that each owed window has exactly one Task, that waived ones start no job, and that no schedule is behind. */
export function checkWindows(
  { templates, tasks, schedules, jobs, log, now }: FinalState,
  { histories, repetitions }: Pick<People, 'histories' | 'repetitions'>,
  findings: Findings,
): void {
  const byTask = groupBy(jobs, (job) => job.task_id);
  const byTemplate = groupBy(tasks, (task) => task.runtemplate_id);
  const { createdBy, startedBy } = entriesOfJobs(log);
  const isStartedBy = ({ id }: JobRow, entry: number) => (startedBy.get(id) ?? Infinity) <= entry;
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
      const { lastEntry } = waiver;
      for (const job of jobsByTemplate.get(id) ?? []) {
        const isStarted = (byTask.get(job.task_id) ?? []).some((other) => isStartedBy(other, lastEntry));
        const isOwed = !waiver.deactivated && (job.task_id === null || isStarted || repetitions.has(job.id));
        findings.check(
          isOwed || (createdBy.get(job.id) ?? 0) > lastEntry || !startedBy.has(job.id) || isStartedBy(job, lastEntry),
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

/** Returns the ids of the audit entries by which jobs were created, and first started: one that its agent did not get is started again. */
function entriesOfJobs(log: FinalState['log']) {
  const createdBy = new Map<number, number>();
  const startedBy = new Map<number, number>();
  for (const { id, action, entity_type, entity_id, changes } of changesIn(log)) {
    if (entity_type !== 'Job') continue;
    if (action === 'create') createdBy.set(entity_id, id);
    const isStart = typeof changes['started_at']?.[1] === 'string';
    if (isStart && !startedBy.has(entity_id)) startedBy.set(entity_id, id);
  }
  return { createdBy, startedBy };
}
