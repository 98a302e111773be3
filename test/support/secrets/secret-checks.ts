import { type AnyResource, ciphertextPrefix } from '@horarium/core';
import { expect } from 'chai';
import { RecordCipher } from '#core/secret/record-cipher';
import { type AnyRow, type RecordWorld, recordServices } from '../worlds/record-world.ts';

/** A secret that is long enough for a password. */
export const secret = 'correct horse battery staple';

/** Expects that the audit log contains none of the secrets, and no ciphertext or password hash. */
export async function expectNotLogged(world: RecordWorld, ...secrets: string[]) {
  const log = JSON.stringify(await world.audit());
  for (const each of secrets) expect(log).not.to.include(each);
  expect(log).not.to.include(ciphertextPrefix);
  expect(log).not.to.include('argon2');
}

/** Returns a field of a record with its secrets decrypted. */
export const decryptField = (resource: AnyResource, row: AnyRow, field: string) =>
  new RecordCipher(recordServices.vault, resource, row).decryptAll([field], row[field]);
