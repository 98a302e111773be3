import { passwordHasherContract } from '@horarium/core/contracts';
import { type Algorithm, hash } from '@node-rs/argon2';
import { expect } from 'chai';
import { argon2Hasher } from '../../../adapters/node/password-hasher.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const weakHash = await hash('correct horse battery', {
  // The number, because `Algorithm` is a const enum, which erased types cannot import.
  algorithm: 2 satisfies Algorithm.Argon2id as Algorithm,
  memoryCost: 8192,
  timeCost: 1,
  parallelism: 1,
});

describe('argon2Hasher', () => {
  defineContractTests(passwordHasherContract(argon2Hasher, weakHash));

  it('hashes with argon2id, 19 MiB and two passes', async () => {
    expect(await argon2Hasher.hash('correct horse battery')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});
