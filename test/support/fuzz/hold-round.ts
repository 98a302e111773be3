import { relative } from 'node:path';
import { fuzzRound } from './fuzz-round.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/**
 * Sends a service requests that are drawn anew each time; whatever is wrong is told with the seed that draws them
 * again. `FUZZ_SEED=123` draws those.
 * @param file The compiled test, to tell how a seed is run again.
 */
export function holdRound(file: string, open: () => Promise<FuzzTarget>, requests: number): void {
  const asked = process.env['FUZZ_SEED'];
  const seed = asked === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(asked);

  it('is refused in order, whoever sends it, and leaves the store as it should be', async () => {
    await using target = await open();
    const { findings } = await fuzzRound(target, { seed, requests });
    if (findings.length === 0) return;
    const again = `Seed ${seed} fails; again with: FUZZ_SEED=${seed} npx mocha --no-config --timeout 0 ${relative('.', file)}`;
    throw new Error([again, ...findings.slice(0, 10)].join('\n'));
  });
}
