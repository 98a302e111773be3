import { choice, count, flag, instant, ref, text } from '../field/fields.ts';
import { defineResource, type Resource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { backoffs } from '../time/retry.ts';

export const taskStates = ['open', 'running', 'fulfilled', 'fulfilled_late', 'failed', 'missed', 'cancelled'] as const;
export type TaskState = (typeof taskStates)[number];

/**
 * The states that a Task may enter from each state. Terminal states stay, but for those of a Task that was not fulfilled:
 * a person may repeat it later; and but for a missed Task that is opened again because the clock was set back.
 */
export const taskTransitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  open: ['running', 'failed', 'missed', 'cancelled'],
  running: ['fulfilled', 'fulfilled_late', 'open', 'failed', 'cancelled'],
  fulfilled: [],
  fulfilled_late: [],
  failed: ['fulfilled_late'],
  missed: ['fulfilled_late'],
  cancelled: ['fulfilled_late'],
};

/** A state in which a Task has ended: the terminal ones. */
export type TaskEndState = Exclude<TaskState, 'open' | 'running'>;

/** Whether a Task in this state has ended: the state is terminal. */
export function isTaskEnded(state: TaskState): state is TaskEndState {
  return state !== 'open' && state !== 'running';
}

export const taskEndStates = taskStates.filter(isTaskEnded);

/** What a Task in each state is, or how it has ended, as the end of a sentence. */
export const taskVerbs: Readonly<Record<TaskState, string>> = {
  open: 'is open',
  running: 'is running',
  fulfilled: 'was fulfilled in time',
  fulfilled_late: 'was fulfilled late',
  failed: 'failed',
  missed: 'was missed',
  cancelled: 'was cancelled',
};

/** The maximum length of the reason for a state. */
export const maxReason = 1000;

const hidden = { hidden: true } as const;

const described = defineResource({
  name: 'Task',
  names: { singular: 'task', plural: 'tasks', id: 'taskId' },
  description: 'An obligation: one window of a run template, its deadline, and whether it was fulfilled.',
  example: {
    runtemplate_id: 1,
    company_id: 1,
    window_start: Date.UTC(2026, 10, 20, 23),
    window_end: Date.UTC(2026, 10, 21, 23),
    deadline: Date.UTC(2026, 10, 21, 5),
    state: 'fulfilled',
    attempts: 1,
    fulfilled_by_job_id: 1,
    fulfilled_at: Date.UTC(2026, 10, 20, 23, 31, 12),
    ended_at: Date.UTC(2026, 10, 20, 23, 31, 12),
  },
  operations: ['list', 'get'],
  permissions: byMembership({ read: 'viewer', write: 'the service' }),
  company: 'company_id',
  sharesEntries: true,
  period: 'window_start',
  unique: [['runtemplate_id', 'window_start']],
  indexes: [
    ['state', 'id'],
    // A summary counts the Tasks of a company day by day.
    ['company_id', 'window_start'],
  ],
  partialIndexes: [
    { columns: ['start_deadline', 'company_id', 'id'], present: ['start_deadline'] },
    { columns: ['company_id', 'start_deadline', 'id'], present: ['start_deadline'] },
    // The Tasks of one state that ended on a day are counted from this index alone, which also has them in order.
    { columns: ['state', 'ended_at', 'company_id', 'backfilled'], present: ['ended_at'] },
  ],
  summaryFields: ['id', 'runtemplate_id', 'window_start', 'deadline', 'state', 'attempts', 'fulfilled_at', 'reason'],
  secondaryFields: ['fulfilled_at', 'attempts', 'deadline'],
  fields: {
    runtemplate_id: ref('RunTemplate').required(),
    company_id: ref('Company').required(),
    window_start: instant({ indexed: true, description: 'When the window begins.' }).required(),
    window_end: instant({ description: 'When the next one begins.' }).required(),
    deadline: instant({ description: 'The job must have succeeded by then.' }).required(),
    state: choice(taskStates).default('open').nonNullable(),
    reason: text(maxReason, { description: 'Why it ended as it did.' }),
    ended_at: instant({ unaudited: true, description: 'When it ended; null = it has not. A repetition leaves it.' }),
    attempts: count(0, { description: 'Attempts started.' }),
    fulfilled_by_job_id: ref('Job', { foreignKey: false, indexed: false }),
    fulfilled_at: instant({ description: 'When the attempt that fulfilled it ended.' }),
    backfilled: flag(false, {
      description: 'Whether a person has made it up for a window that was not owed; it counts in no rate.',
    }),
    // The limits are copied from the template when the Task is created; later changes of the template leave them alone.
    max_attempts: count(1, hidden),
    allow_late: flag(false, hidden),
    retry_backoff: choice(backoffs, hidden).default('none').nonNullable(),
    retry_delay: count(0, hidden),
    retry_max_delay: count(0, hidden),
    caught_up: flag(false, hidden),
    /** Why no retry follows the running attempt; null = the Task is still owed. */
    waived_reason: text(maxReason, hidden),
    /** The last time at which an attempt may start while the Task is open; null = no limit, or not open. */
    start_deadline: instant(hidden),
  },
});
export type TaskRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/** One window of a run template: the obligation to run it. A unique index allows one Task for each window. */
export const Task: Resource<TaskRow> = described;
