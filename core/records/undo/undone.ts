import { type AuditEntry, AuditLog } from '../../audit/audit-log.ts';
import { severalRecords } from '../../audit/changes.ts';
import type { Instant } from '../../loop/clock.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import { visibleTo } from '../../resource/access.ts';
import type { Actor } from '../../resource/actor.ts';
import { mask } from '../../secret/ciphertext.ts';
import type { Tables } from '../../store/store.ts';
import { readEntries } from '../audit-entries.ts';

/** The change that gave a record the values from before another one again. */
export interface UndoingChange {
  /** The id of its entry in the audit log. */
  readonly auditlog_id: number;
  readonly at: Instant;
  readonly actor: string;
}

/** A change that gave fields of an earlier one other values. */
export interface ReplacingChange extends UndoingChange {
  readonly fields: readonly string[];
}

/** Whether a change is still in force. */
export interface ChangeStatus {
  /** Null = nothing has undone it. */
  readonly undone_by: UndoingChange | null;
  /** The last one; null = its fields have the values that it gave them. */
  readonly replaced_by: ReplacingChange | null;
}

type ChangeEntry = Pick<AuditEntry, 'id' | 'created_at' | 'actor' | 'entity_type' | 'entity_id' | 'action' | 'changes'>;

/** What became of the fields that an entry changed. */
export interface LaterChanges {
  /** The entry that gave them their former values; null = it is in force, or other values have replaced its own. */
  readonly undone: ChangeEntry | null;
  /** The last entry that gave one of them another value; null = they have those that it gave them. */
  readonly replaced: ChangeEntry | null;
}

/**
 * Follows the fields that an entry changed through the later entries of its record.
 * @param fields those that count: a former secret is not known, so that such a field tells nothing.
 */
export class FollowedChange {
  readonly #changes: AuditEntry['changes'];
  readonly #fields: readonly string[];
  readonly #values: Map<string, unknown>;
  #later: LaterChanges = { undone: null, replaced: null };

  constructor({ changes }: Pick<ChangeEntry, 'changes'>, fields: readonly string[] = Object.keys(changes)) {
    this.#changes = changes;
    this.#fields = fields.filter((field) => changes[field]?.[0] !== mask);
    this.#values = new Map(this.#fields.map((field) => [field, changes[field]?.[1]]));
  }

  get later(): LaterChanges {
    return this.#later;
  }

  /** Takes in the next entry of the record, the oldest first. */
  add(entry: ChangeEntry): void {
    const touched = this.#fields.filter((field) => Object.hasOwn(entry.changes, field));
    if (touched.length === 0) return;
    for (const field of touched) this.#values.set(field, entry.changes[field]?.[1]);
    if (this.#have(1)) this.#later = { undone: null, replaced: null };
    else this.#later = { undone: this.#later.undone ?? (this.#have(0) ? entry : null), replaced: entry };
  }

  /** Whether all fields have the values from before the entry, or those from after it. */
  #have(side: 0 | 1): boolean {
    return this.#fields.every((field) => textOf(this.#values.get(field)) === textOf(this.#changes[field]?.[side]));
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** How many later entries of the records of a kind are looked at; what others undid is not known. */
const maxLooked = 500;

/**
 * Finds whether changes are in force, as far as the actor may read it.
 * @returns by the ids of their entries, without those in force.
 */
export async function statusesOf(
  tables: Tables,
  actor: Actor,
  entries: readonly ChangeEntry[],
): Promise<ReadonlyMap<number, ChangeStatus>> {
  const found = new Map<number, ChangeStatus>();
  const updates = entries.filter(({ action, entity_id }) => action === 'update' && entity_id !== severalRecords);
  for (const [kind, ofKind] of Map.groupBy(updates, ({ entity_type }) => entity_type)) {
    await yieldToEventLoop();
    const followed = ofKind.map((entry) => ({ entry, change: new FollowedChange(entry) }));
    const ids = [...new Set(ofKind.map(({ entity_id }) => entity_id))];
    let looked = 0;
    const later = readEntries(
      tables,
      [
        ['entity_type', '=', kind],
        ['entity_id', 'in', ids],
        ['id', '>', Math.min(...ofKind.map(({ id }) => id))],
        ...visibleTo(actor, AuditLog),
      ],
      'oldest',
    );
    for await (const each of later) {
      await yieldToEventLoop();
      for (const { entry, change } of followed)
        if (each.id > entry.id && each.entity_id === entry.entity_id) change.add(each);
      looked += 1;
      if (looked === maxLooked) break;
    }
    for (const { entry, change } of followed) {
      const { undone, replaced } = change.later;
      if (replaced) {
        const fields = Object.keys(entry.changes).filter((field) => Object.hasOwn(replaced.changes, field));
        found.set(entry.id, { undone_by: undone && changeOf(undone), replaced_by: { ...changeOf(replaced), fields } });
      }
    }
  }
  return found;
}

function changeOf({ id, created_at, actor }: ChangeEntry): UndoingChange {
  return { auditlog_id: id, at: created_at, actor };
}

/** Finds whether the changes that entries of the audit log hold are in force; those that the actor may not see are left out. */
export async function readStatuses(
  tables: Tables,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ChangeStatus>> {
  const entries: AuditEntry[] = [];
  for await (const entry of readEntries(tables, [['id', 'in', ids], ...visibleTo(actor, AuditLog)], 'oldest')) {
    await yieldToEventLoop();
    entries.push(entry);
  }
  return statusesOf(tables, actor, entries);
}
