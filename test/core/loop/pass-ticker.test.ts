import { expect } from 'chai';
import { type Pass, PassTicker } from '#core/loop/pass-ticker';

const minute = 60_000;
const hour = 60 * minute;

/** Begins passes whose steps take 10 ms each, and returns how long the ticker waits after each of its ticks. */
async function waits(passes: readonly Pass[], ticks: number): Promise<(number | string)[]> {
  let now = 0;
  let begun = 0;
  const begin = async () => {
    const pass = passes[begun++] as Pass;
    return {
      ...pass,
      step: () => {
        now += 10;
        return pass.step();
      },
    };
  };
  const ticker = new PassTicker({ name: 'passes', clock: { elapsed: () => now }, begin });
  const waited: (number | string)[] = [];
  for (let tick = 0; tick < ticks; tick += 1) waited.push(await ticker.tick().catch((error: Error) => error.message));
  return waited;
}

/** A pass of so many steps. */
function passOf(steps: number, rest?: number): Pass {
  let left = steps;
  return { ...(rest !== undefined && { rest }), step: async () => --left > 0 };
}

describe('The ticker of a pass', () => {
  it('waits a minute first, rests after each step, and begins the next pass an hour after the end', async () => {
    expect(await waits([passOf(3), passOf(2, 0.5)], 6)).to.deep.equal([minute, 10, 10, hour, 5, hour]);
  });

  it('gives up a pass that fails, and begins another one', async () => {
    const broken: Pass = {
      step: async () => {
        throw new Error('broken');
      },
    };
    expect(await waits([broken, passOf(2)], 4)).to.deep.equal([minute, 'broken', 10, hour]);
  });
});
