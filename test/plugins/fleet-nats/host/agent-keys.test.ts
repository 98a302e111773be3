import { allResources, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { AgentKeys } from '../../../../plugins/fleet-nats/host/agent-keys.ts';
import { Agent } from '../../../../plugins/fleet-nats/records/agent.ts';
import { Pool } from '../../../../plugins/fleet-nats/records/pool.ts';
import { fleetResources } from '../../../../plugins/fleet-nats/records/resources.ts';
import { PrivateKeys } from '../../../../plugins/fleet-nats/wire/keys/keys.ts';
import { rejectionOf } from '../../../support/mocha/rejection-of.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

describe('The keys of agents', () => {
  const actor = trustedActor('test');
  let core: MemoryCore;
  let keys: AgentKeys;
  let id: number;
  beforeEach(async () => {
    core = new MemoryCore({ resources: [...allResources, ...fleetResources.map(({ resource }) => resource)] });
    keys = new AgentKeys(core);
    const { signing: nkey, sealing: xkey } = PrivateKeys.generate().publicKeys.texts;
    const pool = await core.records(Pool).save(actor, { name: 'gpu' });
    ({ id } = await core.records(Agent).save(actor, { name: 'gpu1', pools: [pool.id], nkey, xkey }));
  });

  it('count on while the store does not answer, so that heartbeats are taken meanwhile', async () => {
    const known = await keys.of('gpu1');
    core.database.broken = true;
    core.clock.advance(60_000);
    expect(await keys.of('gpu1')).to.equal(known);
    expect((await rejectionOf(keys.of('gpu2'))).message).to.match(/./);
  });

  it('count no more once the store says that their agent was deleted', async () => {
    expect(await keys.of('gpu1')).not.to.equal(null);
    await core.records(Agent).delete(actor, id);
    core.clock.advance(60_000);
    expect(await keys.of('gpu1')).to.equal(null);
  });
});
