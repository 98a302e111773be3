import type { Hmac } from '../secret/vault.ts';
import type { Store, Tables } from '../store/store.ts';
import { type AuditEntry, AuditLog } from './audit-log.ts';
import { chainStart, type Head, nextHead } from './chain.ts';

export interface Verification {
  /** How many sealed entries were read. */
  readonly checked: number;
  /** Entries that are not sealed yet. */
  readonly open: number;
  readonly head: Head;
  /** The first thing that is wrong, in a sentence; null = the chain is whole. */
  readonly problem: string | null;
}

const page = 5000;

/**
 * Reads the whole chain and names the first entry that was changed, removed or inserted. A head that was noted
 * earlier also proves that nothing was cut off at its end since.
 */
export async function verifyAudit(
  store: Store,
  hmac: Hmac,
  noted?: Head,
  onProgress?: (checked: number) => void,
): Promise<Verification> {
  let head = chainStart;
  let notedSeen = noted === undefined || noted.seq === 0;
  for (;;) {
    const entries = await store.transaction((tables) => nextEntries(tables, head.seq), { readOnly: true });
    for (const entry of entries) {
      const problem = check(hmac, head, entry);
      if (problem) return { checked: head.seq, open: 0, head, problem };
      head = { seq: entry.seq as number, hash: entry.hash as string };
      if (head.seq === noted?.seq) {
        notedSeen = head.hash === noted.hash;
        if (!notedSeen)
          return { checked: head.seq, open: 0, head, problem: `Entry ${head.seq} is not the one that was noted.` };
      }
    }
    onProgress?.(head.seq);
    if (entries.length < page) break;
  }
  const open = await store.transaction((tables) => tables.of(AuditLog).count([['seq', '=', null]]), { readOnly: true });
  const problem = notedSeen
    ? null
    : `The log ends at ${head.seq}, before ${noted?.seq}, which was noted: its end was cut off.`;
  return { checked: head.seq, open, head, problem };
}

function nextEntries(tables: Tables, after: number): Promise<AuditEntry[]> {
  return tables.of(AuditLog).find({ where: [['seq', '>', after]], order: [['seq', 'asc']], limit: page });
}

function check(hmac: Hmac, previous: Head, entry: AuditEntry): string | null {
  const named = `seq ${entry.seq} (audit entry ${entry.id}, ${entry.action} of ${entry.entity_type} ${entry.entity_id})`;
  if (entry.seq !== previous.seq + 1) return `Entry ${previous.seq + 1} was removed: ${named} follows ${previous.seq}.`;
  return nextHead(hmac, previous, entry).hash === entry.hash ? null : `Entry ${named} was changed or inserted.`;
}
