import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { rowsAtOnce } from './page-size.ts';

/**
 * Reads entries of the audit log, the newest or the oldest first, a few at a time: one may have megabytes. It leaves out
 * those that are marked as forged.
 */
export async function* readEntries(
  tables: Tables,
  where: Where<AuditEntry>,
  first: 'newest' | 'oldest',
): AsyncGenerator<AuditEntry, void> {
  const [direction, is] = first === 'newest' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const { first: few, further } = rowsAtOnce(AuditLog);
  let last = first === 'newest' ? Number.MAX_SAFE_INTEGER : 0;
  for (let limit = few; ; limit = further) {
    await yieldToEventLoop();
    const entries = await tables.of(AuditLog).find({
      where: [...where, ['id', is, last], ['forged', '=', false]],
      order: [['id', direction]],
      limit,
    });
    yield* entries;
    if (entries.length < limit) return;
    last = entries.at(-1)?.id ?? last;
  }
}
