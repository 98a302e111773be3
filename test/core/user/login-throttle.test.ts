import { LoginAttempt, type LoginAttemptRow, LoginThrottle } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { throttleDelay, throttlePolicies } from '#core/user/login-throttle';
import { NodeDigests } from '../../../adapters/node/node-digests.ts';
import { recordWorld, refusal, root } from '../../support/worlds/record-world.ts';

function throttleWorld() {
  const world = recordWorld();
  const loginThrottle = new LoginThrottle(world.store, new NodeDigests());
  return {
    world,
    loginThrottle,
    /** Begins so many attempts that fail, after waiting for each delay; returns the delays. */
    async wrong(times: number, login = 'eva', address = '192.0.2.1') {
      const waits: number[] = [];
      for (let n = 0; n < times; n++) {
        const error = await loginThrottle.begin(login, address).then(
          () => null,
          (reason) => reason,
        );
        waits.push(error?.retryAfter ?? 0);
        if (!error) continue;
        world.advance(error.retryAfter);
        await loginThrottle.begin(login, address);
      }
      return waits;
    },
    rows: (): Promise<LoginAttemptRow[]> => world.store.read((tables) => tables.of(LoginAttempt).find()),
  };
}

describe('LoginThrottle', () => {
  it('delays nothing after five wrong passwords, then twice as long after each further one, up to 15 minutes', async () => {
    const { wrong } = throttleWorld();
    expect(await wrong(20)).to.deep.equal(
      [0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900].map((s) => s * 1000),
    );
  });

  it('refuses attempts until the delay has passed, and does not count those', async () => {
    const { world, wrong, loginThrottle, rows } = throttleWorld();
    await wrong(6);
    const before = await rows();
    for (const left of [1000, 600, 1]) {
      const error = await refusal(loginThrottle.begin('eva', '192.0.2.1'));
      expect(error).to.include({ code: 'too_many_requests', retryAfter: left });
      expect(await rows()).to.deep.equal(before);
      world.advance(left === 1000 ? 400 : 599);
    }
    world.advance(1);
    await loginThrottle.begin('eva', '192.0.2.1');
  });

  it('delays neither the login from another address nor another login from the address', async () => {
    const { wrong, loginThrottle } = throttleWorld();
    await wrong(6);
    await loginThrottle.begin('eva', '192.0.2.2');
    await loginThrottle.begin('adam', '192.0.2.1');
  });

  it('delays a login that is attacked from many addresses, except for pairs that succeeded lately', async () => {
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

  it('resets the counter of a pair that succeeds, and only takes its attempt back from the others', async () => {
    const { wrong, loginThrottle, rows } = throttleWorld();
    await wrong(4);
    await loginThrottle.begin('eva', '192.0.2.1');
    await loginThrottle.succeed('eva', '192.0.2.1');
    expect((await rows()).map((row) => row.wrong)).to.deep.equal([0, 4, 4]);
    expect(await wrong(6)).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  it('counts no attempt that is older than a day', async () => {
    const { world, wrong } = throttleWorld();
    await wrong(8);
    world.advance(86_400_001);
    expect(await wrong(6)).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  it('prunes counters that do not matter any more', async () => {
    const { world, loginThrottle, rows } = throttleWorld();
    await loginThrottle.begin('adam', '192.0.2.1');
    await loginThrottle.begin('eva', '192.0.2.1');
    await loginThrottle.succeed('eva', '192.0.2.1');
    const prune = () => world.store.transaction(root, (tables) => loginThrottle.prune(tables));
    await prune();
    expect(await rows()).to.have.length(5);
    world.advance(86_400_001);
    await prune();
    expect((await rows()).map((row) => row.right_at !== null)).to.deep.equal([true]);
    world.advance(30 * 86_400_000);
    await prune();
    expect(await rows()).to.deep.equal([]);
  });

  it('stores neither login nor address', async () => {
    const { wrong, rows } = throttleWorld();
    await wrong(1, 'hunter2', '192.0.2.77');
    expect(JSON.stringify(await rows())).not.to.match(/hunter2|192\.0\.2/);
  });
});

describe('throttleDelay', () => {
  it('never shrinks with the number of failed attempts, and stays within bounds', () => {
    for (const policy of Object.values(throttlePolicies))
      fc.assert(
        fc.property(fc.nat(10_000), (wrong) => {
          const delay = throttleDelay(policy, wrong);
          expect(delay).to.be.within(0, policy.max);
          expect(throttleDelay(policy, wrong + 1)).to.be.at.least(delay);
        }),
      );
  });
});
