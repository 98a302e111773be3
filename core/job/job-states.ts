export const jobStates = [
  'scheduled',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'skipped',
] as const;
export type JobState = (typeof jobStates)[number];

/** The states a Job may move to from each state; those that end it lead nowhere. */
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
