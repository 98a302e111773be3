import type { JobState } from './job.ts';

/** Where a Job may go from each state. */
export const jobTransitions: Readonly<Record<JobState, readonly JobState[]>> = {
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
  return jobTransitions[state].length === 0;
}
