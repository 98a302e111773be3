import { relative } from 'node:path';
import { fuzz } from './fuzz.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/**
 * Declares a test that fuzzes a service with a random seed, or with that of the variable `FUZZ_SEED`. A failure prints
 * the seed and a command that repeats it.
 * @param testFile the compiled test, which the printed command runs
 */
export function itSurvivesFuzzing(testFile: string, openTarget: () => Promise<FuzzTarget>, requests: number): void {
  const fixedSeed = process.env['FUZZ_SEED'];
  const seed = fixedSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(fixedSeed);

  it('get a documented response each and leave the store consistent', async () => {
    await using target = await openTarget();
    const { findings } = await fuzz(target, { seed, requests });
    if (findings.length === 0) return;
    const hint = `Seed ${seed} fails; repeat it with: FUZZ_SEED=${seed} npx mocha --no-config --timeout 0 ${relative('.', testFile)}`;
    throw new Error([hint, ...findings.slice(0, 10)].join('\n'));
  });
}
