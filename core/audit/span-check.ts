import { isPlainObject } from '../field/value-path.ts';
import type { Tables } from '../store/store.ts';
import { AuditSpan, spansOf } from './audit-span.ts';
import { nameOf } from './chain-check.ts';
import { type Recorded, severalRecords } from './changes.ts';
import type { RawEntry } from './signed-entry.ts';

/**
 * Checks that the spans of verified entries are those of their records: without them lists of one record would lack
 * entries. @returns what is wrong with the first one; null = nothing.
 */
export async function problemOfSpans(tables: Tables, entries: readonly RawEntry[]): Promise<string | null> {
  const ids = entries.map(({ id }) => id);
  if (ids.length === 0) return null;
  const stored = Map.groupBy(
    await tables.of(AuditSpan).find({ where: [['entry_id', 'in', ids]], order: [['first_id', 'asc']] }),
    ({ entry_id }) => entry_id,
  );
  for (const entry of entries) {
    const expected = recordedIn(entry).flatMap((recorded) => spansOf(recorded, entry.id));
    const found = (stored.get(entry.id) ?? []).map(({ id: _id, ...span }) => span);
    if (JSON.stringify(found) !== JSON.stringify(expected))
      return `${nameOf(entry)} is not found by the records that it is about: its spans were changed.`;
  }
  return null;
}

/** Returns what an entry tells of records, if it holds that of several. */
function recordedIn({ entity_id, entity_type, changes }: RawEntry): Recorded[] {
  if (entity_id !== severalRecords) return [];
  const parsed: unknown = typeof changes === 'string' ? JSON.parse(changes) : changes;
  return isPlainObject(parsed) ? [{ entity_id, entity_type, changes: parsed } as Recorded] : [];
}
