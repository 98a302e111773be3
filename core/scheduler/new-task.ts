import { Job, type JobRow, type Trigger } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { newRow } from '../store/new-row.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { lastStart } from '../task/task-outcome.ts';
import type { ScheduleSpec } from '../template/schedule-spec.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { Window } from '../time/windows.ts';

/** How a window is met: as it comes, late after downtime, not at all, or the obligation was lifted meanwhile. */
export type WindowMode = 'normal' | 'caught_up' | 'missed' | 'waived';

/** The Task of a window, with the limits that the template has at this moment. */
export function newTask(template: ScheduleSpec, window: Window, treatment: WindowMode): Omit<TaskRow, 'id'> {
  const limits = {
    deadline: deadlineAt(template, window, dueAt(template, window, template.id)),
    window_end: window.end,
    allow_late: template.allow_late,
    caught_up: treatment === 'caught_up',
  };
  return newRow(Task, {
    ...limits,
    runtemplate_id: template.id,
    company_id: template.company_id,
    window_start: window.start,
    max_attempts: template.max_attempts,
    retry_backoff: template.retry_backoff,
    retry_delay: template.retry_delay,
    retry_max_delay: template.retry_max_delay,
    last_start: lastStart(limits),
    ...(treatment === 'missed' && {
      state: 'missed' as const,
      reason: 'the window passed while nothing was scheduling, and is not caught up',
      last_start: null,
    }),
  });
}

export interface JobPlan {
  readonly taskId: number | null;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly at: Instant;
}

/** A job that waits for its time. */
export function newJob(
  template: Pick<ScheduleSpec, 'id' | 'app_id' | 'company_id' | 'executor'>,
  plan: JobPlan,
): Omit<JobRow, 'id'> {
  return newRow(Job, {
    runtemplate_id: template.id,
    app_id: template.app_id,
    company_id: template.company_id,
    task_id: plan.taskId,
    attempt: plan.attempt,
    trigger: plan.trigger,
    scheduled_at: plan.at,
    queue_at: plan.at,
    executor: template.executor,
  });
}

/** The first job of a window's Task. */
export function firstJob(template: ScheduleSpec, task: TaskRow): Omit<JobRow, 'id'> {
  const window = { start: task.window_start, end: task.window_end };
  return newJob(template, {
    taskId: task.id,
    attempt: 1,
    trigger: task.caught_up ? 'catch_up' : 'schedule',
    at: dueAt(template, window, template.id),
  });
}
