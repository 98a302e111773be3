import { expect } from 'chai';
import { allAttacks } from './all-attacks.ts';
import { tryAttacks } from './attack.ts';
import { clockAttacks } from './attacks/clocks.ts';
import { limitAttacks } from './attacks/limits.ts';
import { openTarget } from './own-target.ts';

/** Those that compare times, in which a busy machine misses a window by itself; a defect would show again. */
const timedAttacks = new Set([...clockAttacks, ...limitAttacks]);

describe('attacks by users with ordinary rights', () => {
  let opened: Awaited<ReturnType<typeof openTarget>>;

  before(async () => {
    opened = await openTarget('sqlite');
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const attack of allAttacks)
    it(`break no promise: ${attack.claim}`, async function () {
      if (timedAttacks.has(attack)) this.retries(2);
      for await (const { result, detail } of tryAttacks([attack], opened.target)) {
        if (result === 'not tried') this.skip();
        expect(result, detail).to.equal('held');
      }
    });
});
