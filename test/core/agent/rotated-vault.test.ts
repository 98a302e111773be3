import { systemClock } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { openTestStore } from '../../support/store/test-store.ts';
import { AgentWorld, ended, printed } from '../../support/worlds/agent-world.ts';
import { vaultKey } from '../../support/worlds/record-world.ts';

const newKey = Buffer.alloc(32, 8).toString('base64');

describe('Attempts on agents while the vault is rotated', () => {
  it('go on with output that may begin a secret, also once the older key is gone', async () => {
    const store = openTestStore(systemClock);
    const on = (key: string) =>
      new AgentWorld({ stores: [store], close: () => store.close() }, { vault: new NodeVault(key) });
    const world = await on(vaultKey).seed();
    const [printing, idle] = [await world.claimedJob(), await world.claimedJob()];
    const half = world.secret.length / 2;
    await world.report(printing, [printed(`password ${world.secret.slice(0, half)}`)]);
    await world.report(idle, [printed('nothing\n')]);
    const { host, actor } = on(`${newKey},${vaultKey}`);
    await host.rotateVault(actor);
    const later = on(newKey);
    await later.report(printing, [printed(`${world.secret.slice(half)} end\n`), ended()], { from: 2 });
    await later.report(idle, [ended()], { from: 2 });
    expect(await later.outputOf(printing.id)).to.include({ stdout: 'password •••••••• end\n' });
    expect(await later.outputOf(idle.id)).to.include({ stdout: 'nothing\n' });
    await world.close();
  });
});
