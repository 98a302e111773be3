import type { Hmac } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import { AuditLog } from './audit-log.ts';
import { type RawEntry, signedText } from './signed-entry.ts';

/**
 * Finds the entries that the service wrote among entries that are not sealed, with the texts that it signed: their MAC is
 * right, and they are not copies of others. The database refuses copies, unless its constraint was dropped.
 */
export async function genuineEntries(
  tables: Tables,
  hmac: Hmac,
  entries: readonly RawEntry[],
): Promise<ReadonlyMap<RawEntry, string>> {
  const signed = new Map<RawEntry, string>();
  for (const entry of entries) {
    const text = signedText(entry);
    if (text !== null && hmac(text) === entry.mac) signed.set(entry, text);
  }
  if (signed.size === 0) return signed;
  const nonces = [...signed.keys()].map(({ nonce }) => nonce as string);
  const holders = await tables.of(AuditLog).find({ where: [['nonce', 'in', nonces]], columns: ['id', 'nonce', 'seq'] });
  if (holders.length === signed.size) return signed;
  const holdersOf = Map.groupBy(holders, ({ nonce }) => nonce);
  for (const entry of signed.keys()) {
    const others = holdersOf.get(entry.nonce as string) ?? [];
    // The first of equal entries is the original; one that is sealed was the first.
    const isCopy = others.some(({ id, seq }) => id !== entry.id && (seq !== null || id < entry.id));
    if (isCopy) signed.delete(entry);
  }
  return signed;
}
