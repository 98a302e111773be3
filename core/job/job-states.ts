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

/** The states that a job may enter from each state. Terminal states have none: they never change. */
export const jobTransitions: Readonly<Record<JobState, readonly JobState[]>> = {
  scheduled: ['running', 'cancelled', 'skipped'],
  // Back to `scheduled` where an agent never got the attempt.
  running: ['scheduled', 'succeeded', 'failed', 'timed_out', 'cancelled', 'lost'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  lost: [],
  skipped: [],
};

/** Whether a job in this state has ended: the state is terminal. */
export function isJobEnded(state: JobState): boolean {
  return jobTransitions[state].length === 0;
}

/** What a job in each state does or did, as the end of a sentence. */
export const jobVerbs: Readonly<Record<JobState, string>> = {
  scheduled: 'is scheduled',
  running: 'is running',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
  lost: 'was lost',
  skipped: 'was skipped',
};
