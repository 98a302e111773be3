import { expect } from 'chai';
import { legalMoves } from './legal-moves.ts';
import { runSeed, type SeedOptions } from './run-seed.ts';

const seeds = 200;
const together = 25;

/**
 * Simulates many seeds, each of which must keep every promise, and all of which must have seen every legal move.
 * `SIM_SEED=123` runs that one alone, `SIM_SEED=1-5000` all of those.
 * @param file The compiled test, to tell how a seed is run again.
 */
export function holdSeeds(file: string, options: SeedOptions): void {
  const asked = /^(\d+)(?:-(\d+))?$/.exec(process.env['SIM_SEED'] ?? '');
  const first = asked ? Number(asked[1]) : 1;
  const last = asked ? Number(asked[2] ?? asked[1]) : seeds;
  const seen = new Set<string>();
  for (let from = first; from <= last; from += together) {
    const until = Math.min(from + together - 1, last);
    it(`keeps every promise under seeds ${from} to ${until}`, async () => {
      for (let seed = from; seed <= until; seed++)
        for (const transition of await movesOf(seed, file, options)) seen.add(transition);
    });
  }
  if (asked) return;
  it('has seen every legal move of Tasks and Jobs', () => {
    expect([...legalMoves].filter((transition) => !seen.has(transition))).to.deep.equal([]);
  });
  it('goes the same way again under the same seed', async () => {
    for (const seed of [3, 9]) {
      const [one, other] = [await runSeed(seed, options), await runSeed(seed, options)];
      expect(one.fingerprint).to.be.a('string').and.to.equal(other.fingerprint);
    }
  });
}

async function movesOf(seed: number, file: string, options: SeedOptions): Promise<ReadonlySet<string>> {
  const again = `Seed ${seed} fails; again with: SIM_SEED=${seed} npx mocha --no-config --timeout 0 ${file}`;
  try {
    const { findings, moves } = await runSeed(seed, options);
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('\n'));
    return moves;
  } catch (error) {
    throw new Error(`${again}\n${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
