import type { Instant } from '../loop/clock.ts';
import type { Hmac } from '../secret/vault.ts';
import { jsonText } from '../store/stored-values.ts';
import type { TableDescription } from '../store/table.ts';
import { type AuditEntry, AuditLog } from './audit-log.ts';

/** An entry as its writer makes it, before it is signed. */
export type NewEntry = Omit<AuditEntry, 'id' | 'seq' | 'hash' | 'forged' | 'nonce' | 'mac'>;

/**
 * An entry as the database holds it, with `changes` as JSON text, so that it can be verified whatever somebody wrote into
 * its columns. The numbers among them may be anything as well; queries need their types.
 */
export type RawEntry = Pick<AuditEntry, 'id' | 'seq' | 'created_at'> & {
  [K in Exclude<keyof AuditEntry, 'id' | 'seq' | 'created_at'>]: unknown;
};

/** The table of the audit log, read as the database holds it. */
export const RawAuditLog: TableDescription<RawEntry> = {
  ...AuditLog,
  columns: AuditLog.columns.map((column) =>
    column.kind === 'json' || column.kind === 'flag' ? { ...column, verbatim: true } : column,
  ),
};

/** What the store and the sealer add to an entry after its writer has signed it. */
const added: ReadonlySet<string> = new Set(['id', 'mac', 'seq', 'hash', 'forged']);
const signedColumns: readonly string[] = AuditLog.columns
  .map(({ name }) => name)
  .filter((name) => !added.has(name))
  .sort();

/** An entry that its writer has signed, before it is inserted. */
export interface SignedEntry {
  readonly entry: Omit<AuditEntry, 'id'>;
  /** What its writer signed. */
  readonly text: string;
}

/** Completes an entry by its nonce and the MAC of its writer. */
export function signEntry(entry: NewEntry, hmac: Hmac): SignedEntry {
  const nonce = newNonce(entry.created_at);
  // What databases cannot hold is replaced before signing, as stores do.
  const text = jsonText(signedValues({ ...entry, nonce, changes: jsonText(entry.changes) }));
  return { entry: { ...entry, nonce, mac: hmac(text), seq: null, hash: null, forged: false }, text };
}

/**
 * Returns what the writer of an entry signs: its canonical JSON, in which `changes` is a text, the JSON that the database
 * holds. It begins with a brace, unlike all else that is signed with the audit key.
 * @returns null when a column holds what no entry can.
 */
export function signedText(entry: RawEntry): string | null {
  const { changes } = entry;
  const values = signedValues({ ...entry, changes: isData(changes) ? jsonText(changes) : changes });
  return Number.isSafeInteger(entry.id) && Object.values(values).every(isPlain) ? JSON.stringify(values) : null;
}

function signedValues(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of signedColumns) values[name] = entry[name] ?? null;
  return values;
}

/** Whether structured data was read from a store that holds no JSON text: the memory store. */
function isData(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether JSON represents a value exactly, as it is. */
function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Generates a UUID of version 7 (RFC 9562): random, but ordered by time, so that entries that are inserted together are
 * neighbours in the index.
 */
function newNonce(at: Instant): string {
  const time = Math.max(0, at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
