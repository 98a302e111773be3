import { type AnyResource, ciphertextPrefix, RecordCipher } from '@horarium/core';
import { expect } from 'chai';
import { type AnyRow, type RecordWorld, recordServices } from '../worlds/record-world.ts';

/** Nothing that was ever written to the log holds one of these. */
export async function expectNotLogged(world: RecordWorld, ...secrets: string[]) {
  const log = JSON.stringify(await world.audit());
  for (const each of secrets) expect(log).not.to.include(each);
  expect(log).not.to.include(ciphertextPrefix);
  expect(log).not.to.include('argon2');
}

/** A field of a record with its secrets opened. */
export const decryptField = (resource: AnyResource, row: AnyRow, field: string) =>
  new RecordCipher(recordServices.vault, resource, row).decryptAll([field], row[field]);
