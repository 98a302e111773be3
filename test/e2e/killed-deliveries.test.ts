import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** A receiver of webhooks that does not answer until it is told to. */
async function heldReceiver() {
  const arrived: string[] = [];
  const answers: (() => void)[] = [];
  let isHeld = true;
  const server = createServer((request, response) => {
    arrived.push(String(request.headers['webhook-id']));
    request.resume();
    const answer = () => void response.end('thanks');
    if (isHeld) answers.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    release() {
      isHeld = false;
      for (const answer of answers) answer();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('Deliveries of a service that is killed', () => {
  const jobs = 15;

  const check = async (kind: StoreKind) => {
    await using receiver = await heldReceiver();
    await using world = await ServiceWorld.create(kind, {
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1',
      HORARIUM_ACTIONS: JSON.stringify({ on_success: [{ action: 'webhook', url: receiver.url }] }),
    });
    const { service } = await world.startService();
    const template = await world.addTemplate('quick', ['-c', 'true'], { interval: 'none', overlap: 'allow' });
    for (let job = 0; job < jobs; job++) await world.run('runtemplate:run', String(template));
    await eventually('all jobs have ended', async () => {
      const ended = await world.jobs(template);
      return ended.length === jobs && ended.every(({ state }) => state === 'succeeded');
    });
    await eventually('webhooks are under way', () => receiver.arrived.length >= 10);
    service.process.kill('SIGKILL');
    await service.ended;
    const before = [...receiver.arrived];
    receiver.release();
    await world.startService();
    const deliveries = await eventually('all arrive', async () => {
      const rows: { state: string; message_id: string; attempts: number }[] = await world.run(
        'delivery:list',
        '--limit',
        '1000',
      );
      return rows.length === jobs && rows.every(({ state }) => state === 'delivered') && rows;
    });
    const ids = deliveries.map(({ message_id }) => message_id);
    expect([...new Set(receiver.arrived)]).to.have.members(ids);
    const again = before.filter((id) => receiver.arrived.lastIndexOf(id) >= before.length);
    expect(again, 'what was under way is delivered again under the same id').to.have.members(before);
    expect(Math.max(...deliveries.map(({ attempts }) => attempts))).to.be.at.least(2);
  };

  it('arrive at least once, under the same id each time', async () => {
    await Promise.all([check('sqlite'), check('postgresql')]);
  });
});
