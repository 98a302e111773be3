import { relative } from 'node:path';
import { fuzz } from './fuzz.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/**
 * Fuzzes a service with a random seed. A failure prints the seed and the command that repeats it; `FUZZ_SEED=123` sets
 * the seed.
 * @param file the compiled test, for that command
 */
export function itSurvivesFuzzing(file: string, open: () => Promise<FuzzTarget>, requests: number): void {
  const given = process.env['FUZZ_SEED'];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);

  it('is rejected with a documented response and leaves the store consistent', async () => {
    await using target = await open();
    const { findings } = await fuzz(target, { seed, requests });
    if (findings.length === 0) return;
    const hint = `Seed ${seed} fails; repeat it with: FUZZ_SEED=${seed} npx mocha --no-config --timeout 0 ${relative('.', file)}`;
    throw new Error([hint, ...findings.slice(0, 10)].join('\n'));
  });
}
