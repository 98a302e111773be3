import type { Hmac } from '../secret/vault.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { RawEntry } from './signed-entry.ts';

/** The end of the sealed chain: proves everything before it. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const chainStart: Head = { seq: 0, hash: '0'.repeat(64) };

/**
 * Returns the head after the entry is appended as number `seq`: HMAC(previous hash + canonical JSON of the entry), where
 * what was added since its writer signed it stands before the rest.
 * @param text what its writer signed
 */
export function nextHead(hmac: Hmac, previous: Head, entry: RawEntry, text: string, seq = previous.seq + 1): Head {
  const added = `{"id":${entry.id},"mac":${JSON.stringify(entry.mac)},"seq":${seq},`;
  return { seq, hash: hmac(previous.hash + added + text.slice(1)) };
}

/** The setting with the head of the chain, signed: `SEQ:HASH:MAC`. It shows entries that nobody sealed, or cut off. */
const headSetting = 'audit head';

/** Reads the `seq` and hash of the last sealed entry, as the sealer noted it; it is not verified. */
export async function readAuditHead(tables: Tables): Promise<Head> {
  return (await readNotedHead(tables))?.head ?? chainStart;
}

/**
 * Reads the head and verifies that the sealer noted it.
 * @returns null where there is none, 'changed' for one that was changed
 */
export async function readSignedHead(tables: Tables, hmac: Hmac): Promise<Head | 'changed' | null> {
  const noted = await readNotedHead(tables);
  if (!noted) return null;
  return noted.head && signHead(hmac, noted.head) === noted.value ? noted.head : 'changed';
}

export async function writeSignedHead(tables: Tables, hmac: Hmac, head: Head): Promise<void> {
  const table = tables.of(Setting);
  const value = signHead(hmac, head);
  const updatedCount = await table.updateWhere([['name', '=', headSetting]], { value });
  if (updatedCount === 0) await table.insert([newRow(Setting, { name: headSetting, value })]);
}

async function readNotedHead(tables: Tables): Promise<{ readonly value: string; readonly head: Head | null } | null> {
  const [setting] = await tables.of(Setting).find({ where: [['name', '=', headSetting]] });
  if (!setting) return null;
  const value = String(setting.value);
  const [, seq, hash] = /^(\d{1,16}):([0-9a-f]{64}):/.exec(value) ?? [];
  return { value, head: seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : null };
}

function signHead(hmac: Hmac, { seq, hash }: Head): string {
  return `${seq}:${hash}:${hmac(`head ${seq}:${hash}`)}`;
}
