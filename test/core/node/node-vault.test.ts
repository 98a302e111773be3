import { createHash } from 'node:crypto';
import { assertDecrypts, type MakeVault, vaultContract } from '@horarium/core/contracts';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import fc from 'fast-check';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const keyOf = (name: string) => createHash('sha256').update(name).digest('base64');

describe('NodeVault', () => {
  const make: MakeVault = (...names) => new NodeVault(names.map(keyOf).join(','));
  defineContractTests(vaultContract(make));

  it('decrypts random texts that it encrypted under random contexts', () => {
    const vault = make('a');
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(fc.property(text, fc.string(), (plain, context) => assertDecrypts(vault, plain, context)));
  });

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
