import { integer, text } from '../../field/fields.ts';
import type { Hmac } from '../../secret/vault.ts';
import type { Tables } from '../../store/store.ts';
import { defineBookkeeping, newRow } from '../../store/table.ts';
import { chainStart, type Head } from '../chain.ts';

/**
 * The last entry that has left the store, signed: the chain in the store begins behind it. It is one row. Triggers of the
 * database read it: they refuse to delete entries behind it, and to move it back.
 */
export const AuditCheckpoint = defineBookkeeping({
  name: 'AuditCheckpoint',
  fields: {
    seq: integer({ unique: true }).required(),
    hash: text(64).required(),
    mac: text(64).required(),
  },
});

/** Reads the `seq` and hash of the last entry that has left the store, without verifying them. */
export async function readAuditCheckpoint(tables: Tables): Promise<Head> {
  const [row] = await tables.of(AuditCheckpoint).find({ order: [['seq', 'desc']], limit: 1 });
  return row ? { seq: row.seq, hash: row.hash } : chainStart;
}

/** Reads the checkpoint and verifies that the service signed it. @returns 'changed' for one that was changed */
export async function readSignedCheckpoint(tables: Tables, hmac: Hmac): Promise<Head | 'changed'> {
  const rows = await tables.of(AuditCheckpoint).find({ limit: 2 });
  const [row] = rows;
  if (!row) return chainStart;
  const { seq, hash, mac } = row;
  return rows.length === 1 && Number.isSafeInteger(seq) && sign(hmac, { seq, hash }) === mac
    ? { seq, hash }
    : 'changed';
}

/** Moves the checkpoint on. @param from what it is. */
export async function writeCheckpoint(tables: Tables, hmac: Hmac, from: Head, to: Head): Promise<void> {
  const table = tables.of(AuditCheckpoint);
  const values = { ...to, mac: sign(hmac, to) };
  const updatedCount = await table.updateWhere([['seq', '=', from.seq]], values);
  if (updatedCount === 0) await table.insert([newRow(AuditCheckpoint, values)]);
}

function sign(hmac: Hmac, { seq, hash }: Head): string {
  return hmac(`checkpoint ${seq}:${hash}`);
}
