import { Delivery, formatInstant } from '@horarium/core';
import { expect } from 'chai';
import { nextDigestAt } from '#core/delivery/digest';
import { eventually } from '../../support/mocha/eventually.ts';
import { DeliveryWorld, hour } from '../../support/worlds/delivery-world.ts';

describe('Repeated failures', () => {
  const collect = { action: 'collect', to: 'ops' };
  const lists = { on_failure: [collect], on_missed: [collect], on_recovered: [collect] };

  async function world() {
    const made = await new DeliveryWorld().seed();
    await made.addTemplate(lists);
    return made;
  }

  /** Fails the Tasks of so many hours. */
  async function fail(made: DeliveryWorld, hours: number): Promise<void> {
    for (let count = 0; count < hours; count++) {
      await made.advance(hour);
      await made.runJob(1);
      await made.deliver();
    }
  }

  it('of one template are told once, and then as a digest', async () => {
    const made = await world();
    await fail(made, 10);
    expect(made.told).to.have.length(1);
    expect(made.told[0]?.notice).to.deep.include({ failures: 1, digest: null });
    await fail(made, 15);
    expect(made.told).to.have.length(2);
    const { failures, digest } = made.told[1]?.notice ?? expect.fail();
    expect(digest?.count).to.equal(23);
    expect(failures).to.equal(2);
    expect(digest?.failures).to.have.length(20);
    expect(digest?.failures.at(-1)?.reason).to.contain('exit code 1');
    const rows = await made.rows();
    // The last one failed after the first interval.
    expect(rows.filter(({ state }) => state === 'pending')).to.have.length(1);
    expect(rows.filter(({ digest_id }) => digest_id === rows[1]?.id)).to.have.length(22);
  });

  it('say until when they wait for a digest, and which delivery told of them', async () => {
    const made = await world();
    await fail(made, 3);
    const reasons = async () => {
      const shown = await made.core.forChannels.serialize(Delivery, await made.rows(), 'list');
      return shown.map(({ reason }) => reason);
    };
    const [, second] = await made.rows();
    const waits = `it waits until ${formatInstant(second?.next_at ?? 0)}, to be told together with other failures`;
    expect(await reasons()).to.deep.equal([null, waits, waits]);
    await made.advance(24 * hour);
    await made.deliver();
    expect((await reasons()).slice(0, 3)).to.deep.equal([
      null,
      null,
      `delivery ${second?.id} tells of it, together with other failures`,
    ]);
  });

  it('are delivered before the recovery, and the next failure after it at once', async () => {
    const made = await world();
    await fail(made, 3);
    await made.advance(hour);
    await made.runJob(0);
    const { receive } = made;
    const digest = Promise.withResolvers<void>();
    made.receive = async (delivery, signal) => {
      if (delivery.notice.event === 'on_failure') await digest.promise;
      return receive(delivery, signal);
    };
    await made.deliver();
    // Another host knows nothing of the attempt that is under way here.
    expect(await made.otherHost().tick()).to.be.above(0);
    expect(made.events).to.deep.equal(['on_failure']);
    digest.resolve();
    await eventually('the recovery is delivered', async () => {
      await made.deliver();
      return made.events.includes('on_recovered');
    });
    expect(made.told.map(({ notice }) => [notice.event, notice.digest?.count ?? null])).to.deep.equal([
      ['on_failure', null],
      ['on_failure', 2],
      ['on_recovered', null],
    ]);
    expect(made.told.find(({ notice }) => notice.event === 'on_recovered')?.notice.failures).to.equal(3);
    await fail(made, 1);
    expect(made.told.at(-1)?.notice).to.deep.include({ event: 'on_failure', failures: 1, digest: null });
  });

  it('that cannot be delivered hold the recovery up for one attempt, and other deliveries not at all', async () => {
    const made = await world();
    await made.addTemplate({ code: 'other', name: 'Other', on_success: [{ action: 'tell', to: 'ops' }] });
    await fail(made, 2);
    made.receive = async ({ notice }) => {
      if (notice.event === 'on_failure') throw new Error('The server is down.');
      return {};
    };
    await made.advance(hour);
    await made.runJob(0);
    await made.deliver();
    expect(made.events).to.include('on_recovered');
    expect((await made.rows()).filter(({ state }) => state === 'pending')).to.not.be.empty;
  });

  it('of a digest that cannot be delivered wait with it', async () => {
    const made = await world();
    await fail(made, 2);
    const { receive } = made;
    made.receive = () => Promise.reject(new Error('The server is down.'));
    await made.advance(24 * hour);
    await made.deliver();
    const [, leader = expect.fail()] = await made.rows();
    expect(leader).to.deep.include({ state: 'pending', error: 'The server is down.' });
    made.receive = receive;
    made.core.clock.advance(hour);
    await made.deliver();
    expect((await made.rows()).filter(({ state }) => state === 'pending')).to.deep.equal([]);
  });

  it('are due at the ends of intervals that begin with the first failure', () => {
    expect(nextDigestAt(1000, 1000, 500)).to.equal(1500);
    expect(nextDigestAt(1000, 1499, 500)).to.equal(1500);
    expect(nextDigestAt(1000, 1500, 500)).to.equal(2000);
    expect(nextDigestAt(1000, 3700, 500)).to.equal(4000);
  });
});
