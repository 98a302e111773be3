import type { JobState } from './job.ts';

/** Where a Job may go from each state. */
export const jobMoves: Readonly<Record<JobState, readonly JobState[]>> = {
  scheduled: ['running', 'cancelled', 'skipped'],
  running: ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  lost: [],
  skipped: [],
};

export function isJobEnded(state: JobState): boolean {
  return jobMoves[state].length === 0;
}
