import type { Instant } from '../loop/clock.ts';
import { newRow } from '../store/table.ts';
import type { ScheduleSpec } from '../template/schedule.ts';
import { Job, type JobRow, type Trigger } from './job.ts';

export interface JobPlan {
  /** Null for an ad hoc job. */
  readonly taskId: number | null;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly at: Instant;
  /** Whether it is an attempt at a Task that is caught up or repeated. @default false */
  readonly caughtUp?: boolean;
  /** The user who requested it. @default null */
  readonly launchedBy?: number | null;
}

/** Returns the row of a new job of the template, scheduled and queued for the planned time. */
export function newJob(
  template: Pick<ScheduleSpec, 'id' | 'app_id' | 'company_id' | 'executor' | 'placement' | 'priority'>,
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
    caught_up: plan.caughtUp ?? false,
    launched_by: plan.launchedBy ?? null,
    rank: 0 - template.priority,
    executor: template.executor,
    placement: template.placement ?? null,
  });
}
