import { createHash } from 'node:crypto';
import { allTables, KeyManager } from '@horarium/core';
import { expect } from 'chai';
import { NodeVault } from '../../../adapters/node/vault.ts';
import { refusal, root } from '../../support/record-world.ts';
import { StandingClock } from '../../support/standing-clock.ts';
import { openTestStore } from '../../support/test-store.ts';

const vault = (...names: string[]) =>
  new NodeVault(names.map((name) => createHash('sha256').update(name).digest('base64')).join(','));

describe('The vault of a store', () => {
  const opened = () => {
    const store = openTestStore(new StandingClock());
    return (...names: string[]) => new KeyManager(store, vault(...names), allTables);
  };

  it('is any vault in a new store, and then that key only', async () => {
    const keeper = opened();
    await keeper('a').check();
    await keeper('a').check();
    const error = await refusal(keeper('b').check());
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include(`fingerprint ${vault('a').fingerprint}, not ${vault('b').fingerprint}`);
    expect(error.message).to.include('1 record needs it (audit key: 1)');
  });

  it('may have a newer key beside the one that is still needed, until everything was encrypted anew', async () => {
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

  it('may lose a key again that nothing was encrypted with', async () => {
    const keeper = opened();
    await keeper('a').check();
    await keeper('b', 'a').check();
    await keeper('a').check();
  });

  it('signs the audit log with one key for ever', async () => {
    const keeper = opened();
    const signed = (await keeper('a').auditKey())('data');
    await keeper('b', 'a').rotate(root);
    await keeper('c', 'b').rotate(root);
    expect((await keeper('c').auditKey())('data')).to.equal(signed);
    // What stores were sealed with before they kept the key themselves.
    expect(vault('a').hmac(vault('a').signingKey('audit'))('data')).to.equal(signed);
  });

  it('is rotated by admins alone', async () => {
    const keeper = opened();
    const error = await refusal(keeper('a').rotate({ ...root, name: 'eva', roles: new Set(['editor']) }));
    expect([error.code, error.message]).to.deep.equal([
      'denied',
      'eva may not rotate the vault: that takes the role admin.',
    ]);
  });
});
