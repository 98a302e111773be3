import type { TaskState } from './task.ts';

/** Where a Task may go from each state. Terminal states never change. */
export const taskTransitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  open: ['running', 'failed', 'missed', 'cancelled'],
  running: ['fulfilled', 'fulfilled_late', 'open', 'failed', 'cancelled'],
  fulfilled: [],
  fulfilled_late: [],
  failed: [],
  missed: [],
  cancelled: [],
};

export function isTaskEnded(state: TaskState): boolean {
  return taskTransitions[state].length === 0;
}
