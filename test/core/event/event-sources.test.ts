import { type Clock, mask } from '@horarium/core';
import { expect } from 'chai';
import { EventSources } from '#core/event/event-sources';
import { recordServices, recordsContext, recordWorld, root } from '../../support/worlds/record-world.ts';

/** A clock on which no timeout ever expires. */
const standingClock: Clock = {
  now: () => 0,
  elapsed: () => 0,
  uptime: () => 0,
  boot: null,
  sleep: () => new Promise(() => {}),
};

describe('Testing an event source', () => {
  it('returns the error that the plugin throws, with the secrets of the source masked', async () => {
    const world = recordWorld();
    const options = { host: 'h', password: 'source secret' };
    const { id } = await world.save('EventSource', { name: 'shop', kind: 'changes-table', options });
    const probe = () => {
      throw new Error('the address of source secret@h is wrong');
    };
    const { vault, eventSourceKinds } = recordServices;
    const kind = { options: {}, ...eventSourceKinds.get('changes-table'), name: 'changes-table', probe };
    const kinds = new Map([[kind.name, kind]]);
    const received = undefined as never;
    const sources = new EventSources(
      { records: recordsContext(world.store), clock: standingClock, vault, kinds },
      received,
    );
    expect(await sources.test(root, id)).to.deep.equal({
      reachable: false,
      message: `the address of ${mask}@h is wrong`,
      latency_ms: 0,
    });
  });
});
