import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { entriesOfRecords } from '../audit/audit-span.ts';
import { readAuditHead } from '../audit/chain.ts';
import { changesIn, type RecordedChange } from '../audit/shared-entries.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { parseInstant } from '../time/instant.ts';
import { isTaskEnded, Task, type TaskRow } from './task.ts';

/** How far a reader has read the audit log. */
export interface LogPosition {
  /** All entries of the sealed chain up to this one are read. */
  readonly seq: number;
  /** The ids of the later entries that are read as well, because they were not sealed yet. */
  readonly read: ReadonlySet<number>;
}

export interface TaskChanges {
  /** A Task for each change of its state, as it was after that change; those of one Task are in order. */
  readonly tasks: readonly TaskRow[];
  /** Where the next read begins. */
  readonly next: LogPosition;
}

/** The entries of Tasks, without those that the sealer found to be forged. */
const ofTasks = [
  ['entity_type', '=', Task.name],
  ['forged', '=', false],
] as const;
/** The number of sealed entries of one read; each may hold the changes of some hundred Tasks. */
const batchSize = 50;

/** Returns the position behind all entries that are committed. */
export async function endOfLog(tables: Tables): Promise<LogPosition> {
  const [{ seq }, unsealed] = await Promise.all([readAuditHead(tables), readUnsealed(tables)]);
  return { seq, read: new Set(unsealed.map(({ id }) => id)) };
}

/**
 * Reads the changes of state behind a position from the audit log, in one snapshot. Transactions may commit in another
 * order than that of their entries' ids, so that no id tells where to go on: the sealed chain does, whose `seq` is given
 * after the commit; entries that are not sealed yet are read each time, and those that were read before are left out.
 * @param where limits the Tasks; those that were deleted since are left out.
 */
export async function readTaskChanges(
  tables: Tables,
  { seq, read }: LogPosition,
  where: Where<TaskRow>,
): Promise<TaskChanges> {
  const head = await readAuditHead(tables);
  // Behind the head are only entries that got a `seq` from elsewhere.
  const sealedSince = [...ofTasks, ['seq', '>', seq], ['seq', '<=', head.seq]] as const;
  const [sealed, unsealed] = await Promise.all([
    tables.of(AuditLog).find({ where: sealedSince, order: [['seq', 'asc']], limit: batchSize }),
    readUnsealed(tables),
  ]);
  const isFull = sealed.length === batchSize;
  const entries = (isFull ? sealed : [...sealed, ...unsealed]).filter(({ id }) => !read.has(id));
  const next: LogPosition = isFull
    ? { seq: sealed.at(-1)?.seq as number, read }
    : { seq: Math.max(seq, head.seq), read: new Set(unsealed.map(({ id }) => id)) };
  const readable = entries.filter(({ changes }) => isPlainObject(changes));
  const changes = changesIn(readable).filter(({ action, changes }) => action !== 'delete' && 'state' in changes);
  const versions = changes.length > 0 ? await versionsAfter(tables, changes, where) : new Map<string, TaskRow>();
  return { tasks: changes.flatMap((change) => versions.get(nameOf(change)) ?? []), next };
}

function readUnsealed(tables: Tables): Promise<AuditEntry[]> {
  return tables.of(AuditLog).find({ where: [...ofTasks, ['seq', '=', null]], order: [['id', 'asc']] });
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
    tables.of(AuditLog).find({ where: [...ofTasks, ofThese], order: [['id', 'desc']] }),
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
