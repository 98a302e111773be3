import { createHash } from 'node:crypto';
import { KeyManager, rotationRules } from '@horarium/core';
import { expect } from 'chai';
import { NodeVault } from '../../../adapters/node/vault.ts';
import { StandingClock } from '../../support/clocks/standing-clock.ts';
import { openTestStore } from '../../support/store/test-store.ts';
import { refusal, root } from '../../support/worlds/record-world.ts';

const vault = (...names: string[]) =>
  new NodeVault(names.map((name) => createHash('sha256').update(name).digest('base64')).join(','));

describe('KeyManager', () => {
  const opened = () => {
    const store = openTestStore(new StandingClock());
    return (...names: string[]) => new KeyManager({ store, vault: vault(...names), ...rotationRules() });
  };

  it('accepts any vault key for a new store, and from then on that key only', async () => {
    const keeper = opened();
    await keeper('a').check();
    await keeper('a').check();
    const error = await refusal(keeper('b').check());
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include(`fingerprint ${vault('a').fingerprint}, not ${vault('b').fingerprint}`);
    expect(error.message).to.include('1 record needs it (audit key: 1)');
  });

  it('requires the older key together with a newer one until the vault was rotated', async () => {
    const keeper = opened();
    await keeper('a').check();
    await keeper('b', 'a').check();
    const error = await refusal(keeper('b').check());
    expect([error.code, error.message]).to.deep.equal([
      'unavailable',
      `The vault key with the fingerprint ${vault('a').fingerprint} is missing, and 1 record needs it (audit key: 1). Give it behind the newest one in HORARIUM_VAULT_KEY or the key file, and run "horarium vault:rotate" before it is dropped.`,
    ]);
    await keeper('b', 'a').rotate(root);
    await keeper('b').check();
    expect((await refusal(keeper('a').check())).message).to.include('is not the one');
  });

  it('allows a key to be dropped that nothing was encrypted with', async () => {
    const keeper = opened();
    await keeper('a').check();
    await keeper('b', 'a').check();
    await keeper('a').check();
  });

  it('keeps the key of the audit log through rotations of the vault', async () => {
    const keeper = opened();
    const signed = (await keeper('a').auditKey())('data');
    await keeper('b', 'a').rotate(root);
    await keeper('c', 'b').rotate(root);
    expect((await keeper('c').auditKey())('data')).to.equal(signed);
    // The key of stores that were made before they stored it themselves.
    expect(vault('a').hmac(vault('a').signingKey('audit'))('data')).to.equal(signed);
  });

  it('rotates for admins only', async () => {
    const keeper = opened();
    const error = await refusal(keeper('a').rotate({ ...root, name: 'eva', roles: new Set(['editor']) }));
    expect([error.code, error.message]).to.deep.equal([
      'denied',
      'eva may not rotate the vault: that takes the role admin.',
    ]);
  });
});
