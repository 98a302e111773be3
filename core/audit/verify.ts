import type { Hmac } from '../secret/vault.ts';
import { eachPage, type PageQuery } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type AuditEntry, AuditLog } from './audit-log.ts';
import { chainStart, type Head, nextHead } from './chain.ts';

export interface Verification {
  /** The number of sealed entries that were read. */
  readonly checked: number;
  /** The number of entries that are not sealed yet. */
  readonly open: number;
  readonly head: Head;
  /** A sentence that names the first entry that does not verify; null = the chain is intact. */
  readonly problem: string | null;
}

const pageSize = 5000;

/**
 * Verifies the whole chain, and names the first entry that was changed, removed or inserted.
 * @param noted a head of the chain that was recorded outside the store: it proves that no entry up to it was cut off.
 */
export async function verifyAudit(
  store: Store,
  hmac: Hmac,
  noted?: Head,
  onProgress?: (checked: number) => void,
): Promise<Verification> {
  let head = chainStart;
  let reachedNoted = noted === undefined || noted.seq === 0;
  const read = (page: PageQuery<AuditEntry>) =>
    store.transaction((tables) => tables.of(AuditLog).find(page), { readOnly: true });
  for await (const entries of eachPage(read, { by: 'seq', size: pageSize })) {
    for (const entry of entries) {
      const problem = problemOf(hmac, head, entry);
      if (problem) return { checked: head.seq, open: 0, head, problem };
      head = { seq: entry.seq as number, hash: entry.hash as string };
      if (head.seq === noted?.seq) {
        reachedNoted = head.hash === noted.hash;
        if (!reachedNoted)
          return { checked: head.seq, open: 0, head, problem: `Entry ${head.seq} is not the one that was noted.` };
      }
    }
    onProgress?.(head.seq);
  }
  const open = await store.transaction((tables) => tables.of(AuditLog).count([['seq', '=', null]]), { readOnly: true });
  const problem = reachedNoted
    ? null
    : `The log ends at ${head.seq}, before ${noted?.seq}, which was noted: its end was cut off.`;
  return { checked: head.seq, open, head, problem };
}

/** Returns what is wrong with an entry after the previous one, or null. */
function problemOf(hmac: Hmac, previous: Head, entry: AuditEntry): string | null {
  const label = `seq ${entry.seq} (audit entry ${entry.id}, ${entry.action} of ${entry.entity_type} ${entry.entity_id})`;
  if (entry.seq !== previous.seq + 1) return `Entry ${previous.seq + 1} was removed: ${label} follows ${previous.seq}.`;
  return nextHead(hmac, previous, entry).hash === entry.hash ? null : `Entry ${label} was changed or inserted.`;
}
