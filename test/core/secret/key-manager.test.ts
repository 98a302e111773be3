import { createHash } from 'node:crypto';
import { StandingClock } from '@horarium/core/contracts';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { rotationRules } from '#core/resources';
import { KeyManager } from '#core/secret/key-manager';
import { openTestStore } from '../../support/store/test-store.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { refusal, root } from '../../support/worlds/record-world.ts';

const vault = (...names: string[]) =>
  new NodeVault(names.map((name) => createHash('sha256').update(name).digest('base64')).join(','));

describe('KeyManager', () => {
  const emptyStore = () => {
    const store = openTestStore(new StandingClock());
    return (...names: string[]) => new KeyManager({ store, vault: vault(...names), ...rotationRules() });
  };

  it('accepts any vault key for a new store, and later only that key', async () => {
    const managerWith = emptyStore();
    await managerWith('a').check();
    await managerWith('a').check();
    const error = await refusal(managerWith('b').check());
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include(`fingerprint ${vault('a').fingerprint}, not ${vault('b').fingerprint}`);
    expect(error.message).to.include('1 record needs it (audit key: 1)');
  });

  it('requires the older key together with a newer one until the vault was rotated', async () => {
    const managerWith = emptyStore();
    await managerWith('a').check();
    await managerWith('b', 'a').check();
    const error = await refusal(managerWith('b').check());
    expect([error.code, error.message]).to.deep.equal([
      'unavailable',
      `The vault key with the fingerprint ${vault('a').fingerprint} is missing, and 1 record needs it (audit key: 1). Give it behind the newest one in HORARIUM_VAULT_KEY or the key file, and run "horarium vault:rotate" before it is dropped.`,
    ]);
    await managerWith('b', 'a').rotate();
    await managerWith('b').check();
    expect((await refusal(managerWith('a').check())).message).to.include('is not the one');
  });

  it('allows a key to be removed that encrypts nothing', async () => {
    const managerWith = emptyStore();
    await managerWith('a').check();
    await managerWith('b', 'a').check();
    await managerWith('a').check();
  });

  it('does not change the key of the audit log when the vault is rotated', async () => {
    const managerWith = emptyStore();
    const signed = (await managerWith('a').auditKey())('data');
    await managerWith('b', 'a').rotate();
    await managerWith('c', 'b').rotate();
    expect((await managerWith('c').auditKey())('data')).to.equal(signed);
    // Older stores do not contain the key: they derive it from the vault key.
    expect(vault('a').hmac(vault('a').signingKey('audit'))('data')).to.equal(signed);
  });
});

describe('Core.rotateVault', () => {
  it('denies a rotation to users who are not admins', async () => {
    const error = await refusal(new MemoryCore().rotateVault({ ...root, name: 'eva', roles: new Set(['editor']) }));
    expect([error.code, error.message]).to.deep.equal([
      'denied',
      'eva may not rotate the vault: that takes the role admin.',
    ]);
  });
});
