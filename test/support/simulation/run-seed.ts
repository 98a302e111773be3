import type { Store } from '@horarium/core';
import { judgeAttempt, type TaskOutcome } from './invariants.ts';
import { simulate } from './simulation.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How the stores of one kind are simulated. */
export interface SeedOptions {
  openStore(time: VirtualTime): Promise<Store>;
  /** How much happens: 1 is about an hour of work. */
  readonly scale: number;
}

/** Simulates one seed from its beginning to its verdict. */
export async function runSeed(seed: number, { openStore, scale }: SeedOptions): Promise<TaskOutcome> {
  let store: Store | undefined;
  try {
    const remains = await simulate({ seed, scale, openStore: async (time) => (store = await openStore(time)) });
    return await judgeAttempt(remains);
  } finally {
    await store?.close();
  }
}
