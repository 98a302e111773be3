import { createHash } from 'node:crypto';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import { vaultContract } from '../../contracts/vault.ts';

const keyOf = (name: string) => createHash('sha256').update(name).digest('base64');

describe('NodeVault', () => {
  vaultContract((...names) => new NodeVault(names.map(keyOf).join(',')));

  it('accepts several keys with spaces between them', () => {
    const vault = new NodeVault(`${keyOf('a')}, ${keyOf('b')}`);
    expect(vault.fingerprints[1]).to.equal(new NodeVault(keyOf('b')).fingerprint);
  });

  it('generates keys that it accepts', () => {
    expect(new NodeVault(newVaultKey()).fingerprint).to.match(/^[0-9a-f]{32}$/);
  });

  for (const wrong of [
    '',
    'short',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    '*'.repeat(44),
  ])
    it(`rejects "${wrong}" without repeating it`, () => {
      expect(() => new NodeVault(`${keyOf('a')},${wrong}`)).to.throw(/^Vault key 2 is not 32 bytes in base64\.$/);
    });

  it('rejects the same key twice', () => {
    expect(() => new NodeVault(`${keyOf('a')},${keyOf('a')}`)).to.throw('A vault key is given twice.');
  });
});
