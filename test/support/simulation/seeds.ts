import { relative } from 'node:path';
import type { Store } from '@horarium/core';
import { expect } from 'chai';
import type { VirtualTime } from '../clocks/virtual-time.ts';
import { checkInvariants, type SimulationReport } from './invariants/check-invariants.ts';
import { agentTransitions, legalTransitions, rareTransitions } from './invariants/legal-transitions.ts';
import { type SimulationOptions, simulate } from './simulation.ts';

const seedsPerTest = 10;

/** How the stores of one kind are simulated. */
export interface SeedOptions {
  openStore(time: VirtualTime): Promise<Store>;
  /** The factor of the simulated time, which is 25 to 50 minutes, by seed. */
  readonly scale: number;
  /** @default there are no agents */
  readonly agents?: SimulationOptions['agents'] | undefined;
}

/** The first and the last of the seeds that a test simulates. */
export type SeedRange = readonly [first: number, last: number];

/**
 * Defines the tests that simulate many seeds: each must keep every invariant, and together they must make every legal
 * transition that is not rare. `SIM_SEED=123` runs that seed alone, `SIM_SEED=1-5000` that range in place of the given one.
 * @param file the `import.meta.filename` of the test, for the command that repeats a failing seed.
 */
export function defineSeedTests(file: string, given: SeedRange, options: SeedOptions): void {
  const range = /^(\d+)(?:-(\d+))?$/.exec(process.env['SIM_SEED'] ?? '');
  const [first, last] = range ? [Number(range[1]), Number(range[2] ?? range[1])] : given;
  const transitions = new Set<string>();
  for (let from = first; from <= last; from += seedsPerTest) {
    const until = Math.min(from + seedsPerTest - 1, last);
    it(`keeps every invariant under seeds ${from} to ${until}`, async () => {
      for (let seed = from; seed <= until; seed++)
        for (const transition of await transitionsOf(seed, file, options)) transitions.add(transition);
    });
  }
  if (range) return;
  it('makes every legal transition of Tasks and Jobs but rare ones under some seed', () => {
    const unlikely = new Set([...rareTransitions, ...(options.agents ? [] : agentTransitions)]);
    const isMade = (transition: string) => transitions.has(transition) || unlikely.has(transition);
    expect([...legalTransitions].filter((transition) => !isMade(transition))).to.deep.equal([]);
  });
  it('runs identically twice under the same seed', async () => {
    for (const seed of [2, 9]) {
      const first = await runSeed(seed, options);
      const second = await runSeed(seed, options);
      expect(first.fingerprint).to.be.a('string').and.to.equal(second.fingerprint);
    }
  });
}

/** Simulates one seed and checks the invariants of its final state. */
export async function runSeed(seed: number, { openStore, ...options }: SeedOptions): Promise<SimulationReport> {
  let store: Store | undefined;
  try {
    const result = await simulate({ ...options, seed, openStore: async (time) => (store = await openStore(time)) });
    return await checkInvariants(result);
  } finally {
    await store?.close();
  }
}

async function transitionsOf(seed: number, file: string, options: SeedOptions): Promise<ReadonlySet<string>> {
  const hint = `Seed ${seed} fails; repeat it with: SIM_SEED=${seed} npx mocha --no-config --timeout 0 ${relative(process.cwd(), file)}`;
  try {
    const { findings, transitions } = await runSeed(seed, options);
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('\n'));
    return transitions;
  } catch (error) {
    throw new Error(`${hint}\n${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
