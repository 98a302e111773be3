import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { checkVault } from '#core/credential/check-vault';
import { NodeVault } from '../../../adapters/node/vault.ts';
import { recordWorld, refusal, root } from '../../support/record-world.ts';

const vault = (...names: string[]) =>
  new NodeVault(names.map((name) => createHash('sha256').update(name).digest('base64')).join(','));

describe('checkVault', () => {
  const checkIn = (world: ReturnType<typeof recordWorld>) => (each: NodeVault) =>
    world.store.transaction(root, (tables) => checkVault(tables, each));

  it('takes any key in a new store, and then that key only', async () => {
    const check = checkIn(recordWorld());
    await check(vault('a'));
    await check(vault('a'));
    const error = await refusal(check(vault('b')));
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include(`fingerprint ${vault('a').fingerprint}, not ${vault('b').fingerprint}`);
  });

  it('follows a newer key that comes with the one it knows', async () => {
    const check = checkIn(recordWorld());
    await check(vault('a'));
    await check(vault('b', 'a'));
    await check(vault('b'));
    expect((await refusal(check(vault('a')))).code).to.equal('unavailable');
  });
});
