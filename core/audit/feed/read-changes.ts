import { isPlainObject } from '../../field/value-path.ts';
import { textSize } from '../../store/rows.ts';
import type { Tables } from '../../store/store.ts';
import { type AuditEntry, AuditLog } from '../audit-log.ts';
import { readAuditHead } from '../chain.ts';
import { changesIn, type RecordedChange } from '../shared-entries.ts';

/** How far a reader has read the audit log. */
export interface LogPosition {
  /** All entries of the sealed chain up to this one are read. */
  readonly seq: number;
  /** The ids of the later entries that are read as well, because they were not sealed yet. */
  readonly read: ReadonlySet<number>;
}

export interface ReadChanges {
  /** The changes of single records; those of one record are in order. */
  readonly changes: readonly RecordedChange[];
  /** About how many characters they hold. */
  readonly size: number;
  /** Whether entries behind the position are missing in the log, because they were moved to its archive. */
  readonly hasGap: boolean;
  /** Where the next read begins: the end of the log itself where nothing is left. */
  readonly next: LogPosition;
}

/** How many entries, sealed and not, one read returns at most; each may hold the changes of some hundred records. */
const batchSize = 50;
/** Entries that the sealer found to be forged are no changes. */
const isGenuine = ['forged', '=', false] as const;

/** Returns the position behind all entries that are committed. */
export async function endOfLog(tables: Tables): Promise<LogPosition> {
  const [{ seq }, unsealed] = await Promise.all([
    readAuditHead(tables),
    tables.of(AuditLog).find({ where: [['seq', '=', null], isGenuine], order: [['id', 'asc']], columns: ['id'] }),
  ]);
  return { seq, read: new Set(unsealed.map(({ id }) => id)) };
}

/**
 * Reads what was changed behind a position from the audit log. Transactions may commit in another order than their entries'
 * ids, so that no id says where to go on: the sealed chain does, whose `seq` is assigned after the commit. Entries
 * that are not sealed yet are known by their ids until they are.
 * @param end the end of the log in the same transaction.
 */
export async function readChanges(tables: Tables, { seq, read }: LogPosition, end: LogPosition): Promise<ReadChanges> {
  const log = tables.of(AuditLog);
  // Behind the head are only entries that got a `seq` from elsewhere.
  const sealedSince = [['seq', '>', seq], ['seq', '<=', end.seq], isGenuine] as const;
  const sealed = end.seq > seq ? await log.find({ where: sealedSince, order: [['seq', 'asc']], limit: batchSize }) : [];
  const hasGap = end.seq > seq && sealed[0]?.seq !== seq + 1;
  const last = sealed[batchSize - 1];
  const unread = [...end.read].filter((id) => !read.has(id));
  const [ids, left] = last ? [[], unread] : [unread.slice(0, batchSize), unread.slice(batchSize)];
  const unsealed = ids.length > 0 ? await log.find({ where: [['id', 'in', ids]] }) : [];
  const entries = [...sealed.filter(({ id }) => !read.has(id)), ...unsealed].filter(isReadable);
  const size = entries.reduce((sum, { changes }) => sum + textSize(changes), 0);
  const next = last ? { seq: last.seq as number, read } : positionBefore(end, left);
  return { changes: changesIn(entries), size, hasGap, next };
}

function positionBefore(end: LogPosition, left: readonly number[]): LogPosition {
  if (left.length === 0) return end;
  const unread = new Set(left);
  return { seq: end.seq, read: new Set([...end.read].filter((id) => !unread.has(id))) };
}

function isReadable({ changes }: AuditEntry): boolean {
  return isPlainObject(changes);
}
