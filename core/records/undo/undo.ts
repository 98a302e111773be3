import { type AuditEntry, AuditLog } from '../../audit/audit-log.ts';
import { type Changes, severalRecords } from '../../audit/changes.ts';
import { isAudited } from '../../audit/diff.ts';
import { conflict } from '../../errors.ts';
import { readVisible } from '../../resource/access.ts';
import type { Actor } from '../../resource/actor.ts';
import type { AnyResource } from '../../resource/define-resource.ts';
import { containsMask } from '../../secret/ciphertext.ts';
import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import type { AnyRow } from '../../store/table.ts';
import { formatInstant } from '../../time/instant.ts';
import { readEntries } from '../audit-entries.ts';
import { Records, type RecordsContext } from '../records.ts';
import { FollowedChange } from './undone.ts';

/** What undoing a change has saved. */
export interface UndoneChange {
  readonly auditlog_id: number;
  readonly entity_type: string;
  readonly entity_id: number;
  /** `[before, after]` of each field that has its former value again. */
  readonly changes: Changes;
  /** What could not be undone, and what the save warns of, in sentences. */
  readonly warnings: readonly string[];
  /** The record as it is stored now. */
  readonly row: AnyRow;
}

/**
 * Saves the values that a record had before a change which an entry of the audit log holds, where those fields have the
 * values that it gave them. The actor must be allowed to read the entry and to save the record. Former secrets are not
 * known: fields that are secret keep their present values, with a warning.
 * @throws HorariumError `not_found` for an entry or a record that the actor may not see, `denied`, `invalid`, or `conflict`
 *   for an entry that cannot be undone, or one of whose fields has another value since.
 */
export async function undoIn(
  context: RecordsContext,
  tables: Tables,
  actor: Actor,
  entryId: number,
): Promise<UndoneChange> {
  const entry = await readVisible(tables, actor, AuditLog, entryId);
  const resource = undoable(context, entry);
  const { entity_type, entity_id, changes } = entry;
  const records = new Records(resource, context);
  await records.lockIn(tables, actor, entity_id);
  const { former, warnings } = formerValues(resource, changes);
  const fields = Object.keys(former);
  if (fields.length === 0)
    throw conflict(
      `Entry ${entryId} cannot be undone: ${warnings.join(' ') || 'it changed no field that can be saved.'}`,
    );
  await refuseChangedSince(tables, entry, fields);
  const earlier = tables.warnings.length;
  for (const warning of warnings) tables.warn(warning);
  const row = await records.saveIn(tables, actor, former, { id: entity_id });
  return {
    auditlog_id: entryId,
    entity_type,
    entity_id,
    changes: Object.fromEntries(fields.map((field) => [field, reversed(changes[field])])),
    warnings: tables.warnings.slice(earlier),
    row,
  };
}

/** Returns the resource of the record that an entry changed. @throws HorariumError `conflict` when nothing can be undone. */
function undoable({ findResource, tables }: RecordsContext, entry: AuditEntry): AnyResource {
  const { id, action, entity_type, entity_id, forged } = entry;
  const refuse = (reason: string) => conflict(`Entry ${id} cannot be undone: ${reason}.`);
  if (forged) throw refuse('the service did not write it');
  if (!tables.some(({ name, audited }) => name === entity_type && audited))
    throw refuse(`there is no resource ${entity_type}`);
  const resource = findResource(entity_type);
  if (entity_id === severalRecords || !resource.operations.includes('save'))
    throw refuse(`${entity_type} records are changed by the service alone`);
  if (action === 'create') throw refuse(`it created ${entity_type} ${entity_id}, which can be deleted`);
  if (action === 'delete') throw refuse(`it deleted ${entity_type} ${entity_id}, and its secrets with it`);
  return resource;
}

/** Lists the former values of the fields that can be saved, and says of the others why they cannot. */
function formerValues({ columns, fields }: AnyResource, changes: Changes) {
  const former: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [name, [before]] of Object.entries(changes)) {
    const column = columns.find((each) => each.name === name);
    if (!column || !fields[name] || !isAudited(column) || column.readOnly || column.immutable) continue;
    if (before !== null && column.secret) {
      warnings.push(`${name} keeps its present value: its former one is secret, and not in the audit log.`);
      continue;
    }
    former[name] = before;
    if (containsMask(before)) warnings.push(`The secrets in ${name} keep their present values.`);
  }
  return { former, warnings };
}

/** @throws HorariumError `conflict` naming the later entry that undid the change, or gave a field another value. */
async function refuseChangedSince(tables: Tables, changed: AuditEntry, fields: readonly string[]): Promise<void> {
  const { id, entity_type, entity_id } = changed;
  const where: Where<AuditEntry> = [
    ['entity_type', '=', entity_type],
    ['entity_id', '=', entity_id],
    ['id', '>', id],
  ];
  const change = new FollowedChange(changed, fields);
  for await (const entry of readEntries(tables, where, 'oldest')) change.add(entry);
  const { undone, replaced } = change.later;
  if (undone)
    throw conflict(
      `Entry ${id} cannot be undone: ${undone.actor} has undone it at ${formatInstant(undone.created_at)} (entry ${undone.id}).`,
    );
  if (replaced) {
    const others = fields.filter((field) => Object.hasOwn(replaced.changes, field));
    throw conflict(
      `Entry ${id} cannot be undone: ${replaced.actor} has changed ${others.join(', ')} since (entry ${replaced.id}). Undo that one first.`,
    );
  }
}

function reversed(change: Changes[string] | undefined): readonly [unknown, unknown] {
  return [change?.[1] ?? null, change?.[0] ?? null];
}
