import { NodeVault } from '@horarium/core/node';
import type { ExecutorSchema } from '#core/resource/record-services';
import type { PreparationContext } from '#core/worker/prepare-attempts';
import { externalExecutors } from '../../executors/external-executors.ts';
import { fleetExecutor } from '../fleet/fleet-executor.ts';

/** The exit codes that the simulated apps declare: 3 is a failure that is not retried, 4 a success. */
export const exitCodes = {
  '3': { severity: 'error', retry: false },
  '4': { severity: 'info' },
} as const;

/** A vault that nothing uses, because the simulated apps have no secrets. */
const vault = new NodeVault(Buffer.alloc(32, 7).toString('base64'));

/** The executors that jobs of tests may have. */
const executorSchemas = new Map<string, ExecutorSchema>([
  ['native', { options: {} }],
  [fleetExecutor.name, fleetExecutor],
  ...externalExecutors(),
]);

/** Digests that are the same in every run: random texts are counted, and hashes are the text itself. */
function testDigests() {
  let count = 0;
  return { random: () => `random ${++count}`, sha256: (text: string) => text };
}

/** Returns the context that prepares attempts in tests; the URL for heartbeats is only the key. */
export function testPreparation(): PreparationContext {
  return { vault, digests: testDigests(), executorSchemas, pingUrl: (_jobId, key) => key };
}

/**
 * Returns a preparation context that fails for every job whose id `everyJobs` divides.
 * @param watch called with the id of each job; an error that it throws is not taken for a failure of that job.
 */
export function failingPreparation(watch: (jobId: number) => void, everyJobs = 47): PreparationContext {
  const { pingUrl, ...preparation } = watchedPreparation(watch);
  return {
    ...preparation,
    pingUrl: (jobId, key) => {
      const url = pingUrl(jobId, key);
      if (jobId % everyJobs === 0) throw new Error('there is no address for heartbeats');
      return url;
    },
  };
}

/**
 * Returns a preparation context that calls back with the id of each job. An error that the callback throws is not taken for
 * a failure of that job.
 */
export function watchedPreparation(watch: (jobId: number) => void): PreparationContext {
  const preparation = testPreparation();
  let last = 0;
  return {
    ...preparation,
    pingUrl: (jobId, key) => {
      last = jobId;
      return key;
    },
    digests: {
      ...preparation.digests,
      sha256: (text) => {
        watch(last);
        return text;
      },
    },
  };
}
