import { LeaseEpoch, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { overrideTables } from '#core/store/override-tables';
import { HostClock, VirtualTime } from '../../support/clocks/virtual-time.ts';
import { openTestStore } from '../../support/store/test-store.ts';

const times = { duration: 10_000, renewal: 2500, margin: 3000 };

function leased() {
  const time = new VirtualTime(Date.UTC(2026, 10, 21));
  const clock = new HostClock(time, 0);
  const store = openTestStore(time.storeClock);
  const identity = { name: 'host:1', host: 'host', pid: 1, capacity: 4 };
  const lease = new LeaseEpoch(identity, times, clock);
  const renew = () => store.transaction((tables) => lease.renew(tables));
  const rows = () => store.transaction((tables) => tables.of(WorkerLease).find(), { readOnly: true });
  return { time, clock, store, lease, renew, rows };
}

describe('LeaseEpoch', () => {
  it('registers the worker with the first renewal, which is due at once', async () => {
    const { time, lease, renew, rows } = leased();
    expect(lease.untilRenewal).to.equal(0);
    expect(await renew()).to.equal(true);
    expect(await rows()).to.deep.equal([
      {
        id: 1,
        name: 'host:1',
        host: 'host',
        pid: 1,
        capacity: 4,
        started_at: time.now,
        lease_until: time.now + 10_000,
        vault_keys: null,
      },
    ]);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([2500, 7000]);
  });

  it('lasts its full duration from each renewal on', async () => {
    const { time, lease, renew, rows } = leased();
    await renew();
    await time.pass(2600);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([-100, 4400]);
    expect(await renew()).to.equal(true);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([2500, 7000]);
    expect((await rows())[0]?.lease_until).to.equal(time.now + 10_000);
  });

  it('cannot be renewed once it has run out, nor after a reaper has expired the worker', async () => {
    const { time, store, renew } = leased();
    await renew();
    await time.pass(9999);
    expect(await renew()).to.equal(true);
    await time.pass(10_000);
    expect(await renew()).to.equal(false);
    await store.transaction((tables) => tables.of(WorkerLease).delete([]));
    expect(await renew()).to.equal(false);
  });

  it('runs out by the store’s clock, and is watched by a stopwatch that no change of the time of day moves', async () => {
    const { time, clock, lease, renew } = leased();
    clock.ahead = 3_600_000;
    await renew();
    clock.ahead = -3_600_000;
    await time.pass(1000);
    expect(lease.untilAbandoning).to.equal(6000);
    time.storeAhead = 60_000;
    expect(await renew()).to.equal(false);
  });

  it('lasts from the moment before the renewal was asked for, and only from a committed one', async () => {
    const { time, store, lease, renew } = leased();
    await renew();
    await time.pass(2000);
    await store
      .transaction(async (tables) => {
        await lease.renew(tables);
        throw new Error('no commit');
      })
      .catch(() => undefined);
    expect(lease.untilRenewal).to.equal(500);
    const slow = store.transaction(async (tables) => {
      await lease.renew(tables);
      await time.sleep(1500);
    });
    await time.pass(1500);
    await slow;
    expect(lease.untilRenewal).to.equal(1000);
  });

  it('registers the worker once, also when the first commit was not acknowledged', async () => {
    const { store, lease, renew, rows } = leased();
    await store.transaction((tables) => lease.renew(overrideTables(tables, { afterCommit: () => undefined })));
    expect(lease.untilRenewal).to.equal(0);
    expect(await renew()).to.equal(true);
    expect(await rows()).to.have.lengthOf(1);
    expect(lease.untilRenewal).to.equal(2500);
  });

  it('deletes its row when it is released', async () => {
    const { store, lease, renew, rows } = leased();
    await renew();
    await store.transaction((tables) => lease.release(tables));
    expect(await rows()).to.deep.equal([]);
  });
});
