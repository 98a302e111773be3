import type { ActionEvent } from '../action/notice.ts';
import type { RowChange } from '../audit/observed-changes.ts';
import type { JobRow } from '../job/job.ts';
import type { TaskRow } from '../task/task.ts';

/** What a change of state means for those who are told of it. */
export interface NotedEvent {
  readonly kind: 'start' | 'success' | 'failure' | 'missed';
  /** Whether it is a success after the deadline. */
  readonly isLate: boolean;
  readonly runtemplateId: number;
  readonly companyId: number;
  readonly reason: string | null;
  readonly task: TaskRow | null;
  readonly job: JobRow | null;
}

/**
 * Returns what the changes of a transaction mean, in their order. The start and the ending of a Task count, those of its
 * attempts do not; of an ad hoc job its own count. Who cancels knows of it, so that no action follows a cancellation.
 */
export function notedEvents(
  tasks: readonly RowChange<TaskRow>[],
  jobs: readonly RowChange<JobRow>[],
): readonly NotedEvent[] {
  const attempts = new Map<number, JobRow>();
  // A job that never started, such as that of a missed Task, is no attempt.
  for (const { after } of jobs)
    if (after && after.task_id !== null && after.started_at !== null) attempts.set(after.task_id, after);
  return [
    ...tasks.flatMap(({ before, after }) => (after ? eventsOfTask(before, after, attempts.get(after.id) ?? null) : [])),
    ...jobs.flatMap(({ before, after }) => (after && after.task_id === null ? eventsOfJob(before, after) : [])),
  ];
}

function eventsOfTask(before: TaskRow | null, task: TaskRow, job: JobRow | null): NotedEvent[] {
  const { runtemplate_id: runtemplateId, company_id: companyId, reason } = task;
  const about = { runtemplateId, companyId, task, job, isLate: task.state === 'fulfilled_late' && !task.backfilled };
  const hasStarted = before !== null && before.attempts === 0 && task.attempts > 0;
  const start = hasStarted ? [{ ...about, kind: 'start' as const, isLate: false, reason: null }] : [];
  const ending = before?.state === task.state ? undefined : endings[task.state];
  return ending ? [...start, { ...about, kind: ending, reason }] : start;
}

const endings: Partial<Record<string, 'success' | 'failure' | 'missed'>> = {
  fulfilled: 'success',
  fulfilled_late: 'success',
  failed: 'failure',
  missed: 'missed',
};

function eventsOfJob(before: JobRow | null, job: JobRow): NotedEvent[] {
  const { runtemplate_id: runtemplateId, company_id: companyId, reason } = job;
  const about = { runtemplateId, companyId, task: null, job, isLate: false };
  const hasStarted = (before?.started_at ?? null) === null && job.started_at !== null;
  const start = hasStarted ? [{ ...about, kind: 'start' as const, reason: null }] : [];
  const ending = before?.state === job.state ? undefined : jobEndings[job.state];
  return ending ? [...start, { ...about, kind: ending, reason }] : start;
}

const jobEndings: Partial<Record<string, 'success' | 'failure'>> = {
  succeeded: 'success',
  failed: 'failure',
  timed_out: 'failure',
  lost: 'failure',
};

/** The failures of a template in a row. */
export interface Streak {
  readonly failures: number;
  /** When the first of them failed; null = there are none. */
  readonly since: number | null;
}

/** Returns the streak after an event, and the lists whose actions follow it. */
export function followers(event: NotedEvent, streak: Streak, at: number): { streak: Streak; lists: ActionEvent[] } {
  switch (event.kind) {
    case 'start':
      return { streak, lists: ['on_start'] };
    case 'success': {
      const lists: ActionEvent[] = ['on_success'];
      if (event.isLate) lists.push('on_late');
      if (streak.since !== null) lists.push('on_recovered');
      return { streak: { failures: 0, since: null }, lists };
    }
    default:
      return {
        streak: { failures: streak.failures + 1, since: streak.since ?? at },
        lists: [event.kind === 'missed' ? 'on_missed' : 'on_failure'],
      };
  }
}
