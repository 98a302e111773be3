import { AuditLog } from '../audit/audit-log.ts';
import { entriesOfRecords } from '../audit/audit-span.ts';
import { changesIn, type RecordedChange } from '../audit/shared-entries.ts';
import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { parseInstant } from '../time/instant.ts';
import { isTaskEnded, Task, type TaskRow } from './task.ts';

/** The entries of Tasks, without those that the sealer found to be forged. */
const genuine = [
  ['entity_type', '=', Task.name],
  ['forged', '=', false],
] as const;

/**
 * Returns the Task of each of these changes of states, as it was after it. Tasks that were deleted since are left out.
 * @param where limits the Tasks.
 */
export async function tasksAfter(
  tables: Tables,
  changes: readonly RecordedChange[],
  where: Where<TaskRow>,
): Promise<TaskRow[]> {
  const versions = await versionsAfter(tables, changes, where);
  return changes.flatMap((change) => versions.get(nameOf(change)) ?? []);
}

/** Whether a change is that of the state of a Task which was not deleted by it. */
export function changesState({ entity_type, action, changes }: RecordedChange): boolean {
  return entity_type === Task.name && action !== 'delete' && 'state' in changes;
}

/** Returns the Tasks as they were after those changes, by the entries' ids: later changes are taken back. */
async function versionsAfter(
  tables: Tables,
  changes: readonly RecordedChange[],
  where: Where<TaskRow>,
): Promise<ReadonlyMap<string, TaskRow>> {
  const ids = [...new Set(changes.map((entry) => entry.entity_id))];
  const ofThese = await entriesOfRecords(tables, Task.name, ids);
  const [rows, entries] = await Promise.all([
    tables.of(Task).find({ where: [['id', 'in', ids], ...where] }),
    tables.of(AuditLog).find({ where: [...genuine, ofThese], order: [['id', 'desc']] }),
  ]);
  // Two transactions cannot change a Task at once, so that the ids of its entries have the order of its changes.
  const entriesOf = Map.groupBy(changesIn(entries), (entry) => entry.entity_id);
  const versions = new Map<string, TaskRow>();
  for (const row of rows) {
    let version = row;
    for (const entry of entriesOf.get(row.id) ?? []) {
      const { created_at } = entry;
      versions.set(nameOf(entry), { ...version, updated_at: created_at, ended_at: endOf(version, created_at) });
      version = before(entry, version);
    }
  }
  return versions;
}

/** Returns when a version of a Task ended: entries do not hold it, because an entry of the end has its time. */
function endOf({ state, ended_at }: TaskRow, changedAt: Instant): Instant | null {
  return isTaskEnded(state) ? (ended_at ?? changedAt) : null;
}

/** Names the change of one Task in an entry. */
function nameOf({ id, entity_id }: RecordedChange): string {
  return `${id} ${entity_id}`;
}

/** Takes back the change of an entry. */
function before({ changes }: RecordedChange, row: TaskRow): TaskRow {
  const previous = Object.entries(changes).map(([name, [value]]) => [name, stored(name, value)]);
  return { ...row, ...Object.fromEntries(previous) };
}

/** Converts a value of the audit log, where instants are texts, to that of the column. */
function stored(name: string, value: unknown): unknown {
  const column = Task.columns.find((candidate) => candidate.name === name);
  return column?.kind === 'instant' && value !== null ? parseInstant(value) : value;
}
