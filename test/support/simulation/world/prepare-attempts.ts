import type { Claim, Prepared, Tables } from '@horarium/core';

/** The exit codes that the simulated App declares; 0 is always a success, and the undeclared 1 is retried. */
export const exitCodes = {
  '3': { severity: 'error', retry: false },
  '4': { severity: 'info' },
} as const;

/** One in so many native jobs lacks a required variable and fails before it starts. */
const refusalInterval = 47;

/** Prepares attempts of the simulated App, without secrets; the executor's script decides what they do. */
export async function prepareAttempts(_tables: Tables, claims: readonly Claim[]): Promise<readonly Prepared[]> {
  return claims.map((claim) => ({
    claim,
    job: claim.job,
    shown: { command: 'work', arguments: [], environment: {}, app_version: '1', ping_key_hash: `key ${claim.job.id}` },
    refusal:
      claim.job.executor === 'native' && claim.job.id % refusalInterval === 0 ? 'the variable TOKEN is required' : null,
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
