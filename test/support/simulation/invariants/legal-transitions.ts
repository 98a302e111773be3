import type { JobState, TaskState } from '@horarium/core';

// Written from the contract, not taken from the code. The key `new` lists the states in which a record may be created.

const tasks: Readonly<Record<TaskState | 'new', readonly TaskState[]>> = {
  // Windows that passed unscheduled are missed, or cancelled where they passed in a pause.
  new: ['open', 'missed', 'cancelled'],
  open: ['running', 'failed', 'missed', 'cancelled'],
  running: ['open', 'fulfilled', 'fulfilled_late', 'failed', 'cancelled'],
  fulfilled: [],
  fulfilled_late: [],
  // A repetition of those that were not fulfilled may succeed.
  failed: ['fulfilled_late'],
  // A clock that was set back opens it again.
  missed: ['open', 'fulfilled_late'],
  cancelled: ['fulfilled_late'],
};

const jobs: Readonly<Record<JobState | 'new', readonly JobState[]>> = {
  new: ['scheduled'],
  scheduled: ['running', 'cancelled', 'skipped'],
  // An agent that never got the answer to its claim leaves it as it was.
  running: ['scheduled', 'succeeded', 'failed', 'timed_out', 'cancelled', 'lost'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  lost: [],
  skipped: [],
};

/** Every legal transition, as `Task open → running`. */
export const legalTransitions: ReadonlySet<string> = new Set([...named('Task', tasks), ...named('Job', jobs)]);

/** Legal transitions that few seeds make. */
export const rareTransitions: ReadonlySet<string> = new Set([
  'Task missed → open',
  'Task missed → fulfilled_late',
  'Task new → cancelled',
]);

/** Legal transitions that only attempts on agents make. */
export const agentTransitions: ReadonlySet<string> = new Set(['Job running → scheduled']);

export function transitionName(type: string, from: unknown, to: unknown): string {
  return `${type} ${from ?? 'new'} → ${to}`;
}

function named(type: string, transitions: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(transitions).flatMap(([from, all]) => all.map((to) => transitionName(type, from, to)));
}
