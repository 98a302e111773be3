import type { ChangeObserver, RowChange } from '../../audit/observed-changes.ts';
import { Job, type JobRow } from '../../job/job.ts';
import { Task, type TaskRow } from '../../task/task.ts';
import { formatInstant } from '../../time/instant.ts';

/** A Task that was failed, missed, or fulfilled late. */
export type UnmetTask = Pick<TaskRow, 'id' | 'runtemplate_id' | 'company_id' | 'window_start' | 'state' | 'reason'>;

/** A job that failed, ran too long, or lost its worker. */
export type FailedJob = Pick<
  JobRow,
  'id' | 'runtemplate_id' | 'company_id' | 'task_id' | 'attempt' | 'state' | 'exit_code' | 'reason'
>;

/** What is told of failures, after the commit of each. */
export interface FailureEvents {
  /** A Task was failed, missed, or fulfilled late. */
  taskUnmet(task: UnmetTask): void;
  /** A job failed, ran too long, or lost its worker. */
  jobFailed(job: FailedJob): void;
}

const unmetStates: readonly TaskRow['state'][] = ['failed', 'missed', 'fulfilled_late'];
const failedStates: readonly JobRow['state'][] = ['failed', 'timed_out', 'lost'];

/** Tells of each Task that is not fulfilled in time and of each job that fails, whichever use case ends it. */
export function failureNotes(events: FailureEvents): ChangeObserver {
  return {
    tables: [Task, Job],
    async observe(tables, changed) {
      const tasks = entering(changed(Task), unmetStates).filter(isUnmet);
      const jobs = entering(changed(Job), failedStates);
      if (tasks.length + jobs.length === 0) return;
      tables.afterCommit(() => {
        for (const job of jobs) events.jobFailed(job);
        for (const task of tasks) events.taskUnmet(task);
      });
    },
  };
}

/** Whether such a Task was owed, or has failed although a person has asked for it. */
function isUnmet({ state, backfilled }: TaskRow): boolean {
  return state !== 'fulfilled_late' || !backfilled;
}

/** Returns the rows that entered one of the states. */
function entering<R extends { readonly id: number; readonly state: string }>(
  changes: readonly RowChange<R>[],
  states: readonly R['state'][],
): R[] {
  return changes.flatMap(({ before, after }) =>
    after && after.state !== before?.state && states.includes(after.state) ? [after] : [],
  );
}

const words: Partial<Record<UnmetTask['state'] | FailedJob['state'], string>> = {
  missed: 'was missed',
  fulfilled_late: 'was fulfilled late',
  timed_out: 'took too long',
  lost: 'was lost',
};

/** Says in a sentence which Task was not fulfilled in time, and why. */
export function describeUnmetTask({ id, runtemplate_id, window_start, state, reason }: UnmetTask): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `Task ${id} of RunTemplate ${runtemplate_id} for ${formatInstant(window_start)} ${words[state] ?? state}${why}`;
}

/** Says in a sentence which job failed, and why. */
export function describeFailedJob({ id, runtemplate_id, attempt, state, exit_code, reason }: FailedJob): string {
  const why = reason ?? (exit_code === null ? null : `exit code ${exit_code}`);
  const which = `Job ${id} of RunTemplate ${runtemplate_id}, attempt ${attempt},`;
  return `${which} ${words[state] ?? state}${why === null ? '' : `: ${why}`}`;
}
