import { NodeDigests } from '@horarium/core/node';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  LoginAttempt,
  type LoginAttemptRow,
  LoginThrottle,
  throttleDelay,
  throttlePolicies,
} from '#core/user/login-throttle';
import { recordWorld, refusal, root } from '../../support/worlds/record-world.ts';

function throttleWorld() {
  const world = recordWorld();
  const loginThrottle = new LoginThrottle(world.store, new NodeDigests());
  return {
    world,
    loginThrottle,
    /** Begins `times` login attempts that fail, each after the delay that is required, and returns these delays. */
    async failLogins(times: number, login = 'eva', address = '192.0.2.1') {
      const delays: number[] = [];
      for (let n = 0; n < times; n++) {
        const error = await loginThrottle.begin(login, address).then(
          () => null,
          (reason) => reason,
        );
        delays.push(error?.retryAfter ?? 0);
        if (!error) continue;
        world.advance(error.retryAfter);
        await loginThrottle.begin(login, address);
      }
      return delays;
    },
    rows: (): Promise<LoginAttemptRow[]> => world.store.read((tables) => tables.of(LoginAttempt).find()),
  };
}

describe('LoginThrottle', () => {
  it('delays no login after five wrong passwords, and doubles the delay after each further one, up to 15 minutes', async () => {
    const { failLogins } = throttleWorld();
    expect(await failLogins(20)).to.deep.equal(
      [0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900].map((s) => s * 1000),
    );
  });

  it('rejects attempts until the delay has passed, and does not count the rejected ones', async () => {
    const { world, failLogins, loginThrottle, rows } = throttleWorld();
    await failLogins(6);
    const before = await rows();
    for (const remaining of [1000, 600, 1]) {
      const error = await refusal(loginThrottle.begin('eva', '192.0.2.1'));
      expect(error).to.include({ code: 'too_many_requests', retryAfter: remaining });
      expect(await rows()).to.deep.equal(before);
      world.advance(remaining === 1000 ? 400 : 599);
    }
    world.advance(1);
    await loginThrottle.begin('eva', '192.0.2.1');
  });

  it('shuts nobody out by a delay from a time to which the clock was set back', async () => {
    const { world, loginThrottle, failLogins } = throttleWorld();
    await failLogins(7);
    world.advance(-86_400_000);
    await loginThrottle.begin('eva', '192.0.2.1');
    const error = await loginThrottle.begin('eva', '192.0.2.1').catch((reason) => reason);
    expect(error.retryAfter).to.be.within(1, 15 * 60_000);
  });

  it('delays neither the same login from another address nor another login from the same address', async () => {
    const { failLogins, loginThrottle } = throttleWorld();
    await failLogins(6);
    await loginThrottle.begin('eva', '192.0.2.2');
    await loginThrottle.begin('adam', '192.0.2.1');
  });

  it('delays a login that is attacked from many addresses, except from an address where it succeeded within 30 days', async () => {
    const { world, loginThrottle } = throttleWorld();
    await loginThrottle.begin('eva', '198.51.100.1');
    await loginThrottle.succeed('eva', '198.51.100.1');
    for (let n = 0; n < 21; n++) await loginThrottle.begin('eva', `192.0.2.${n}`);
    expect((await refusal(loginThrottle.begin('eva', '192.0.2.99'))).code).to.equal('too_many_requests');
    await loginThrottle.begin('eva', '198.51.100.1');
    await loginThrottle.begin('adam', '192.0.2.99');
    world.advance(31 * 86_400_000);
    await loginThrottle.begin('eva', '192.0.2.99');
  });

  it('delays an address that attacks many logins', async () => {
    const { loginThrottle } = throttleWorld();
    for (let n = 0; n < 51; n++) await loginThrottle.begin(`user${n}`, '192.0.2.1');
    expect((await refusal(loginThrottle.begin('eva', '192.0.2.1'))).code).to.equal('too_many_requests');
    await loginThrottle.begin('eva', '192.0.2.2');
  });

  it('resets the counter of login and address after a success, and takes one attempt back from the counters of each alone', async () => {
    const { failLogins, loginThrottle, rows } = throttleWorld();
    await failLogins(4);
    await loginThrottle.begin('eva', '192.0.2.1');
    await loginThrottle.succeed('eva', '192.0.2.1');
    expect((await rows()).map((row) => row.failures)).to.deep.equal([0, 4, 4]);
    expect(await failLogins(6)).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  it('counts no attempt that is older than a day', async () => {
    const { world, failLogins } = throttleWorld();
    await failLogins(8);
    world.advance(86_400_001);
    expect(await failLogins(6)).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  it('deletes counters of failures after a day, and records of successes after another 30 days', async () => {
    const { world, loginThrottle, rows } = throttleWorld();
    await loginThrottle.begin('adam', '192.0.2.1');
    await loginThrottle.begin('eva', '192.0.2.1');
    await loginThrottle.succeed('eva', '192.0.2.1');
    const prune = () => world.store.transaction(root, (tables) => loginThrottle.prune(tables));
    await prune();
    expect(await rows()).to.have.length(5);
    world.advance(86_400_001);
    await prune();
    expect((await rows()).map((row) => row.last_success_at !== null)).to.deep.equal([true]);
    world.advance(30 * 86_400_000);
    await prune();
    expect(await rows()).to.deep.equal([]);
  });

  it('stores neither login nor address', async () => {
    const { failLogins, rows } = throttleWorld();
    await failLogins(1, 'hunter2', '192.0.2.77');
    expect(JSON.stringify(await rows())).not.to.match(/hunter2|192\.0\.2/);
  });
});

describe('throttleDelay', () => {
  it('never shrinks with the number of failed attempts, and never exceeds the maximum of its policy', () => {
    for (const policy of Object.values(throttlePolicies))
      fc.assert(
        fc.property(fc.nat(10_000), (failures) => {
          const delay = throttleDelay(policy, failures);
          expect(delay).to.be.within(0, policy.maxDelay);
          expect(throttleDelay(policy, failures + 1)).to.be.at.least(delay);
        }),
      );
  });
});
