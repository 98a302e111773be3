import { serializeRow } from '../resource/serialize-row.ts';
import type { Hmac } from '../secret/vault.ts';
import { type AuditEntry, AuditLog } from './audit-log.ts';

/** The end of the sealed chain: proves everything before it. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const chainStart: Head = { seq: 0, hash: '0'.repeat(64) };

/**
 * Returns the head after the entry is appended: HMAC(previous hash + canonical JSON of the entry, its `seq` included).
 */
export function nextHead(hmac: Hmac, previous: Head, entry: AuditEntry): Head {
  const seq = previous.seq + 1;
  const { hash: _hash, ...shown } = serializeRow(AuditLog, entry);
  return { seq, hash: hmac(previous.hash + canonicalJson({ ...shown, seq })) };
}

/**
 * Writes JSON with the keys of every object in order, so that equal data always gives equal text (as RFC 8785 does).
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

/** Sorts the keys of data; several times faster than to have `JSON.stringify` ask for each value. */
function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const data = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(data)
      .sort()
      .map((key) => [key, sortKeys(data[key])]),
  );
}
