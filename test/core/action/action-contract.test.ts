import { actionContract } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { type AnyAction, defineAction, text } from '@horarium/core/plugin';
import { expect } from 'chai';
import { violations } from '../../support/mocha/violations.ts';

describe('The published contract of actions', () => {
  /** Keeps what it is told; a place without a name cannot be reached, and one that is called slow never responds. */
  function keeper(broken: Partial<AnyAction> = {}) {
    const kept: string[] = [];
    let open = 0;
    const action = defineAction({
      name: 'keep',
      options: { place: text(20), password: text(20, { secret: 'encrypted' }) },
      endpoint: ({ place }) => place ?? 'nowhere',
      async deliver({ id, options: { place } }, signal) {
        if (!place) throw new Error('There is no place.');
        if (place === 'slow') {
          open += 1;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          open -= 1;
          throw new Error('The place did not respond.');
        }
        kept.push(id);
        return { status: 200, response: 'kept' };
      },
    });
    const password = 'a planted secret';
    return actionContract(
      () => ({
        action: { ...action, ...broken },
        reachable: { place: 'here', password },
        unreachable: [{ place: null, password }],
        unresponsive: [{ place: 'slow', password }],
        secrets: [password],
        arrived: () => kept.length,
        connections: () => open,
      }),
      nodeClock,
    );
  }

  for (const { title, check } of keeper()) it(`An action ${title}`, check);

  const brokenActions: readonly (readonly [what: string, broken: Partial<AnyAction>, violation: RegExp])[] = [
    ['never delivers', { deliver: async () => ({}) }, /^A notice must have arrived/],
    [
      'shows a secret',
      {
        async deliver({ options }) {
          throw new Error(`The password ${options.password} is wrong.`);
        },
      },
      /must contain no secret/,
    ],
    ['shows a secret as its endpoint', { endpoint: ({ password }) => String(password) }, /must contain no secret/],
    [
      'rejects without a sentence',
      {
        deliver: () => Promise.reject('no'),
      },
      /^A delivery must reject with an Error/,
    ],
  ];
  for (const [what, broken, violation] of brokenActions)
    it(`rejects one that ${what}`, async () => {
      const found = await violations(keeper(broken));
      expect(
        found.some((each) => violation.test(each)),
        found.join('\n'),
      ).to.equal(true);
    });
});
