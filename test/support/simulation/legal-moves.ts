import type { JobState, TaskState } from '@horarium/core';

// Written from the rules of the service, not taken from its code. The first column is how a record may begin.

const tasks: Readonly<Record<TaskState | 'new', readonly TaskState[]>> = {
  new: ['open', 'missed'],
  open: ['running', 'failed', 'missed', 'cancelled'],
  running: ['open', 'fulfilled', 'fulfilled_late', 'failed', 'cancelled'],
  fulfilled: [],
  fulfilled_late: [],
  failed: [],
  missed: [],
  cancelled: [],
};

const jobs: Readonly<Record<JobState | 'new', readonly JobState[]>> = {
  new: ['scheduled'],
  scheduled: ['running', 'cancelled', 'skipped'],
  running: ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  lost: [],
  skipped: [],
};

/** Every legal move, as `Task open → running`. */
export const legalMoves: ReadonlySet<string> = new Set([...named('Task', tasks), ...named('Job', jobs)]);

export function moveName(type: string, from: unknown, to: unknown): string {
  return `${type} ${from ?? 'new'} → ${to}`;
}

function named(type: string, moves: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(moves).flatMap(([from, all]) => all.map((to) => moveName(type, from, to)));
}
