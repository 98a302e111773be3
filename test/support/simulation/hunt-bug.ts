import { allTables, MemoryStore, type Store } from '@horarium/core';
import type { VirtualTime } from '../clocks/virtual-time.ts';
import { runSeed, type SeedOptions } from './seeds.ts';

/** How many seeds are simulated until a bug must be found. */
const maxSeeds = 30;

interface Hunt extends Pick<SeedOptions, 'agents'> {
  /** Plants a bug in a store. @default there is none */
  plant?(store: Store): Store;
  /** The finding that ends it. @default any */
  readonly expected?: RegExp;
  readonly scale?: number;
  readonly seeds?: number;
}

/** Simulates seed after seed with a planted bug until a finding matches. @returns all findings. */
export async function huntBug({
  plant = (store) => store,
  expected = /./,
  scale = 0.5,
  seeds = maxSeeds,
  agents,
}: Hunt): Promise<string> {
  const all: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    if (expected.test(all.join('\n'))) break;
    const openStore = async (time: VirtualTime) =>
      plant(new MemoryStore({ clock: time.storeClock, tables: allTables }));
    try {
      all.push(...(await runSeed(seed, { scale, openStore, agents })).findings);
    } catch (error) {
      all.push((error as Error).message);
    }
  }
  return all.join('\n');
}
