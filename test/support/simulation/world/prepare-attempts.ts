import type { Claim, Prepared, Tables } from '@horarium/core';

/** What the simulated app says of its exit codes; 0 is a success as always, and 1 may be tried again. */
export const exitCodes = {
  '3': { severity: 'error', retry: false },
  '4': { severity: 'info' },
} as const;

/** Every so many native jobs lack something that their app requires, and are refused before they start. */
const refusedOf = 47;

/** Attempts of the simulated app: what they do is written in the executor's script. */
export async function prepareAttempts(_tables: Tables, claims: readonly Claim[]): Promise<readonly Prepared[]> {
  return claims.map((claim) => ({
    claim,
    job: claim.job,
    shown: { command: 'work', arguments: [], environment: {}, app_version: '1', ping_key_hash: `key ${claim.job.id}` },
    refusal:
      claim.job.executor === 'native' && claim.job.id % refusedOf === 0 ? 'the variable TOKEN is required' : null,
    attempt: {
      jobId: claim.job.id,
      executable: 'work',
      arguments: [],
      stdin: null,
      environment: {},
      timeout: claim.template.timeout === null ? null : claim.template.timeout * 1000,
      options: claim.template.executor_options,
      resultFile: null,
      artifacts: [],
    },
    exitCodes,
    hide: (_stream, bytes) => bytes,
    hideIn: (text) => text,
  }));
}
