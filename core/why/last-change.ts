import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { visibleTo } from '../resource/access.ts';
import type { Where } from '../store/query.ts';
import { timeText, type WhyContext } from './why-context.ts';

/** How many of the newest entries of a record are looked at, and how many of them are read at once. */
const maxLooked = 200;
const pageSize = 50;

/** Finds who gave a field of a record the value that it has; null = the actor may not read it, or it is long ago. */
export async function lastChangeOf(
  { tables, actor }: WhyContext,
  [entity_type, entity_id, field]: readonly [entityType: string, entityId: number, field: string],
): Promise<AuditEntry | null> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < maxLooked; looked += pageSize) {
    await yieldToEventLoop();
    const where: Where<AuditEntry> = [
      ['entity_type', '=', entity_type],
      ['entity_id', '=', entity_id],
      ['id', '<', before],
      ['forged', '=', false],
      ...visibleTo(actor, AuditLog),
    ];
    const page = await tables.of(AuditLog).find({ where, order: [['id', 'desc']], limit: pageSize });
    const found = page.find(({ changes }) => Object.hasOwn(changes, field));
    if (found) return found;
    if (page.length < pageSize) return null;
    before = page.at(-1)?.id ?? 0;
  }
  return null;
}

/** Says who made a change: `, by alice at 14:05 (http, entry 41)`; nothing for one that is not known. */
export function byText(context: WhyContext, entry: AuditEntry | null): string {
  if (!entry) return '';
  return `, by ${entry.actor} at ${timeText(context, entry.created_at)} (${entry.channel}, entry ${entry.id})`;
}
