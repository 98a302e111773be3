import { scryptSync } from 'node:crypto';
import { passwordHasherContract } from '@horarium/core/contracts';
import { scryptHasher } from '@horarium/core/node';
import { expect } from 'chai';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const password = 'correct horse battery';

/** Hashes the password with other costs than those in use. */
function hashWith(ln: number): string {
  const salt = Buffer.alloc(16, 1);
  const hash = scryptSync(password, salt, 32, { N: 2 ** ln, r: 8, p: 1 });
  return `$scrypt$ln=${ln},r=8,p=1$${[salt, hash].map((each) => each.toString('base64').replace(/=+$/, '')).join('$')}`;
}

describe('scryptHasher', () => {
  defineContractTests(passwordHasherContract(scryptHasher, hashWith(12)));

  it('hashes with scrypt, 32 MiB and three lanes', async () => {
    expect(await scryptHasher.hash(password)).to.match(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  it('verifies a hash that was made with other costs', async () => {
    expect(await scryptHasher.verify(hashWith(12), password)).to.equal(true);
    expect(await scryptHasher.verify(hashWith(12), `${password}!`)).to.equal(false);
  });

  it('verifies no password against a hash that would take a gigabyte or more to verify', async () => {
    expect(await scryptHasher.verify(hashWith(12).replace('ln=12', 'ln=40'), password)).to.equal(false);
  });
});
