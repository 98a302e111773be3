import type { PreparationContext } from '@horarium/core';
import { NodeVault } from '../../../../adapters/node/vault.ts';

/** The exit codes that the simulated apps declare; 0 is a success as always, and 1 may be retried. */
export const exitCodes = {
  '3': { severity: 'error', retry: false },
  '4': { severity: 'info' },
} as const;

/** Holds no secret: nothing of the simulated apps is encrypted. */
const vault = new NodeVault(Buffer.alloc(32, 7).toString('base64'));

/** Random texts that are the same in every run, and hashes in name only: no simulated job guesses a key. */
function testDigests() {
  let count = 0;
  return { random: () => `random ${++count}`, sha256: (text: string) => text };
}

/** What attempts are prepared with in tests, where the address for heartbeats is nothing but the key. */
export function testPreparation(): PreparationContext {
  return { vault, digests: testDigests(), pingUrl: (_jobId, key) => key };
}

/** The same, but every so many jobs cannot be prepared and are refused before they start. */
export function failingPreparation(everyJobs = 47): PreparationContext {
  return {
    ...testPreparation(),
    pingUrl: (jobId, key) => {
      if (jobId % everyJobs === 0) throw new Error('there is no address for heartbeats');
      return key;
    },
  };
}
