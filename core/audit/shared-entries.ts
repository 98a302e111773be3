import type { Actor } from '../resource/actor.ts';
import { textSize } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { AuditEntry } from './audit-log.ts';
import { AuditSpan, maxRecordsPerEntry, spansOf } from './audit-span.ts';
import { type Changes, partsOf, severalRecords } from './changes.ts';
import type { NewEntry } from './signed-entry.ts';

// The service changes hundreds of Tasks and jobs in one transaction. The changes of one kind, company and action share an
// entry, whose `changes` has the changes of each record by its id. Spans find the entries of one record, and `audit:verify`
// compares them with the entries.

/** About how many characters of changes share an entry: a reader has a page of entries in memory. */
const maxSize = 64 * 1024;

/** Whether changes of an actor may share entries: changes of the service itself do. */
export function mayShare({ userId, channel }: Actor): boolean {
  return userId === null && channel === 'system';
}

/**
 * Merges entries of the kinds of records that share them; the others stay as they are. The changes of one record keep their
 * order.
 */
export function shareEntries(entries: readonly NewEntry[], sharing: ReadonlySet<string>): NewEntry[] {
  const groups: SharedEntry[] = [];
  const open = new Map<string, number>();
  /** By record, the group with its latest change. */
  const latest = new Map<string, number>();
  for (const entry of entries) {
    const key = `${entry.action} ${entry.entity_type} ${entry.company_id}`;
    const record = `${entry.entity_type} ${entry.entity_id}`;
    let index = sharing.has(entry.entity_type) ? (open.get(key) ?? -1) : -1;
    if (index < (latest.get(record) ?? 0) || !groups[index]?.add(entry)) {
      index = groups.push(new SharedEntry(entry)) - 1;
      open.set(key, index);
    }
    latest.set(record, index);
  }
  return groups.map((group) => group.entry);
}

class SharedEntry {
  readonly #first: NewEntry;
  readonly #parts = new Map<number, Changes>();
  #size: number;

  constructor(first: NewEntry) {
    this.#first = first;
    this.#parts.set(first.entity_id, first.changes);
    this.#size = textSize(first.changes);
  }

  /** @returns false if the entry has no room, or holds another change of the record. */
  add({ entity_id, changes }: NewEntry): boolean {
    const size = textSize(changes);
    if (this.#parts.size >= maxRecordsPerEntry || this.#size + size > maxSize || this.#parts.has(entity_id))
      return false;
    this.#parts.set(entity_id, changes);
    this.#size += size;
    return true;
  }

  get entry(): NewEntry {
    if (this.#parts.size === 1) return this.#first;
    const changes = Object.fromEntries(this.#parts) as unknown as Changes;
    return { ...this.#first, entity_id: severalRecords, changes };
  }
}

/** Writes the spans of entries that were inserted. @param ids of the entries, in their order. */
export async function insertSpans(tables: Tables, entries: readonly NewEntry[], ids: readonly number[]): Promise<void> {
  const spans = entries.flatMap((entry, index) => spansOf(entry, ids[index] as number));
  if (spans.length > 0) await tables.of(AuditSpan).insert(spans.map((span) => newRow(AuditSpan, span)));
}

/** The change of one record, as an entry of its own or a shared one holds it. */
export type RecordedChange = Omit<AuditEntry, 'changes'> & { readonly changes: Changes };

/** Divides entries into the changes of single records. */
export function changesIn(entries: readonly AuditEntry[]): RecordedChange[] {
  return entries.flatMap((entry) => partsOf(entry).map(([entity_id, changes]) => ({ ...entry, entity_id, changes })));
}
