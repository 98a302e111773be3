import { WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { overrideTables } from '#core/store/override-tables';
import { LeaseEpoch } from '#core/worker/lease/lease-epoch';
import { HostClock, VirtualTime } from '../../../support/clocks/virtual-time.ts';
import { openTestStore } from '../../../support/store/test-store.ts';

const times = { duration: 10_000, renewal: 2500, margin: 3000, silence: 4000 };

function leaseWorld() {
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
  it('registers the worker with the first renewal, which is due immediately', async () => {
    const { time, lease, renew, rows } = leaseWorld();
    expect(lease.untilRenewal).to.equal(0);
    expect(await renew()).to.equal(true);
    expect(await rows()).to.deep.equal([
      {
        id: 1,
        name: 'host:1',
        host: 'host',
        pid: 1,
        capacity: 4,
        executors: null,
        started_at: time.now,
        lease_until: time.now + 10_000,
        vault_keys: null,
        lost_at: null,
      },
    ]);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([2500, 7000]);
  });

  it('extends the lease to its full duration with each renewal', async () => {
    const { time, lease, renew, rows } = leaseWorld();
    await renew();
    await time.pass(2600);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([-100, 4400]);
    expect(await renew()).to.equal(true);
    expect([lease.untilRenewal, lease.untilAbandoning]).to.deep.equal([2500, 7000]);
    expect((await rows())[0]?.lease_until).to.equal(time.now + 10_000);
  });

  it('rejects a renewal after the lease has expired or a reaper has deleted its row', async () => {
    const { time, store, renew } = leaseWorld();
    await renew();
    await time.pass(9999);
    expect(await renew()).to.equal(true);
    await time.pass(10_000);
    expect(await renew()).to.equal(false);
    await store.transaction((tables) => tables.of(WorkerLease).delete([]));
    expect(await renew()).to.equal(false);
  });

  it('expires by the clock of the store, and is timed on the host by a monotonic clock', async () => {
    const { time, clock, lease, renew } = leaseWorld();
    clock.ahead = 3_600_000;
    await renew();
    clock.ahead = -3_600_000;
    await time.pass(1000);
    expect(lease.untilAbandoning).to.equal(6000);
    time.storeAhead = 60_000;
    expect(await renew()).to.equal(false);
  });

  it('counts the lease from the beginning of the last renewal that was committed', async () => {
    const { time, store, lease, renew } = leaseWorld();
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

  it('registers the worker once even if the first commit was not acknowledged', async () => {
    const { store, lease, renew, rows } = leaseWorld();
    await store.transaction((tables) => lease.renew(overrideTables(tables, { afterCommit: () => undefined })));
    expect(lease.untilRenewal).to.equal(0);
    expect(await renew()).to.equal(true);
    expect(await rows()).to.have.lengthOf(1);
    expect(lease.untilRenewal).to.equal(2500);
  });

  it('deletes the row of the worker when the lease is released', async () => {
    const { store, lease, renew, rows } = leaseWorld();
    await renew();
    await store.transaction((tables) => lease.release(tables));
    expect(await rows()).to.deep.equal([]);
  });
});
