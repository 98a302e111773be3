import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { readEntries } from '../records/audit-entries.ts';
import { visibleTo } from '../resource/access.ts';
import type { Where } from '../store/query.ts';
import { timeText, type WhyContext } from './why-context.ts';

/** How many of the newest entries of a record are looked at. */
const maxLooked = 200;

/** Finds the entry that set a field to its value; null = the actor may not read it, or it is long ago. */
export async function lastChangeOf(
  { tables, actor }: WhyContext,
  [entityType, entityId, field]: readonly [entityType: string, entityId: number, field: string],
): Promise<AuditEntry | null> {
  const where: Where<AuditEntry> = [
    ['entity_type', '=', entityType],
    ['entity_id', '=', entityId],
    ...visibleTo(actor, AuditLog),
  ];
  let looked = 0;
  for await (const entry of readEntries(tables, where, 'newest')) {
    if (Object.hasOwn(entry.changes, field)) return entry;
    looked += 1;
    if (looked === maxLooked) break;
  }
  return null;
}

/** Says who made a change: `, by alice at 14:05 (http, entry 41)`; nothing for one that is not known. */
export function changedByText(context: WhyContext, entry: AuditEntry | null): string {
  if (!entry) return '';
  return `, by ${entry.actor} at ${timeText(context, entry.created_at)} (${entry.channel}, entry ${entry.id})`;
}
