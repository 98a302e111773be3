import { isDeepStrictEqual } from 'node:util';
import {
  type AnyRow,
  AuditLog,
  type Change,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
} from '@horarium/core';
import { partsOf, type Recorded } from '#core/audit/changes';
import type { AddedFields } from '#core/resource/added-fields';
import { isCiphertext } from '#core/secret/ciphertext';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';

type Write = 'create' | 'update' | 'delete';

/** A write of one record, or of the fields that were added to it. */
interface RecordWrite {
  readonly action: Write;
  readonly type: string;
  readonly id: number;
  readonly fields: readonly string[];
}

/** What was written in one transaction. */
interface Written {
  readonly records: RecordWrite[];
  readonly added: RecordWrite[];
}

/**
 * Refuses to commit writes that the audit log does not record, and entries without a write. It compares the records
 * themselves before and after each write, and knows nothing of how the audit log is written.
 */
export function withAuditTripwire(store: Store): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) =>
      store.transaction(async (tables) => {
        if (options?.readOnly) return work(tables);
        const { watched, refuseImbalance } = watchedTables(tables);
        const result = await work(watched);
        refuseImbalance();
        return result;
      }, options),
  };
}

/** Tables that record what was written in one transaction, and what the audit log says was. */
function watchedTables(tables: Tables) {
  const written: Written = { records: [], added: [] };
  const logged: string[] = [];
  const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
    const table = tables.of<AnyRow>(description);
    const watched =
      description.name === AuditLog.name ? watchedLog(table, logged) : watchedRecords(description, table, written);
    return typedTable(watched, description);
  };
  return { watched: overrideTables(tables, { of }), refuseImbalance: () => refuseImbalance(writesOf(written), logged) };
}

/** Describes what was written: the added fields of a record are lost with it, and otherwise updated. */
function writesOf({ records, added }: Written): string[] {
  const isOf = (record: RecordWrite) => (other: RecordWrite) => other.type === record.type && other.id === record.id;
  const deleted = records.filter(({ action }) => action === 'delete');
  return [
    ...records.map((record) => {
      const lost = record.action === 'delete' ? added.filter(isOf(record)).flatMap(({ fields }) => fields) : [];
      return describeWrite(record.action, record.type, record.id, [...record.fields, ...lost]);
    }),
    ...added
      .filter((each) => !deleted.some(isOf(each)))
      .map(({ type, id, fields }) => describeWrite('update', type, id, fields)),
  ];
}

function refuseImbalance(written: readonly string[], logged: readonly string[]): void {
  const unlogged = without(written, logged);
  const unwritten = without(logged, written);
  if (unlogged.length + unwritten.length === 0) return;
  throw new Error(
    `The audit log does not balance. Written but not logged: ${unlogged.sort().join('; ') || 'nothing'}. Logged but not written: ${unwritten.sort().join('; ') || 'nothing'}.`,
  );
}

function without(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function describeWrite(action: Write, type: string, id: number, fields: readonly string[]): string {
  return `${action} of ${type} ${id} (${[...fields].sort().join(', ')})`;
}

/** Watches a table of records, or of fields that were added to records; others are not audited. */
function watchedRecords(description: TableDescription, table: Table, { records, added }: Written): Table {
  const { of: resource } = description as Partial<AddedFields>;
  if (!resource && !description.audited) return table;
  const note = (action: Write, row: AnyRow, changed: readonly string[]) => {
    if (!resource) records.push({ action, type: description.name, id: row.id, fields: changed });
    else if (changed.length > 0)
      added.push({ action, type: resource.name, id: row['record_id'] as number, fields: changed });
  };
  const fields = description.columns
    .filter((column) => column.name !== 'id' && !column.hidden && !column.unaudited)
    .map((column) => column.name);
  const differing = (one: Partial<AnyRow>, other: Partial<AnyRow>) =>
    fields.filter((field) => !isDeepStrictEqual(one[field] ?? null, other[field] ?? null));
  const created = (ids: readonly (number | null)[], rows: readonly Partial<AnyRow>[]) =>
    ids.forEach((id, index) => {
      const row = rows[index] as Partial<AnyRow>;
      if (id !== null) note('create', { ...row, id }, differing({}, row));
    });
  const comparing = async <T>(before: readonly AnyRow[], write: () => Promise<T>): Promise<T> => {
    const result = await write();
    const after = new Map(
      (await table.find({ where: [['id', 'in', before.map((row) => row.id)]] })).map((row) => [row.id, row]),
    );
    for (const row of before) {
      const now = after.get(row.id) as AnyRow;
      const changed = isReencrypted(row, now)
        ? differing(withoutCiphertext(row), withoutCiphertext(now))
        : differing(row, now);
      if (changed.length > 0) note('update', row, changed);
    }
    return result;
  };
  return overrideTable(table, {
    async insert(rows) {
      const ids = await table.insert(rows);
      created(ids, rows);
      return ids;
    },
    async insertAbsent(rows, key) {
      const ids = await table.insertAbsent(rows, key);
      created(ids, rows);
      return ids;
    },
    async update(changes) {
      const before = await table.find({ where: [['id', 'in', changes.map(({ row }) => row.id)]] });
      return comparing(before, () => table.update(changes));
    },
    async updateWhere(where, set, add) {
      return comparing(await table.find({ where }), () => table.updateWhere(where, set, add));
    },
    async delete(where) {
      const rows = await table.delete(where);
      for (const row of rows) note('delete', row, differing({}, row));
      return rows;
    },
    async purge(where) {
      const rows = await table.find({ where });
      for (const row of rows) note('delete', row, differing({}, row));
      return table.purge(where);
    },
  });
}

/** Whether a row was encrypted with another key: only then does the ciphertext of its cipher key change. */
function isReencrypted(before: AnyRow, after: AnyRow): boolean {
  return (
    isCiphertext(before['cipher_key']) &&
    isCiphertext(after['cipher_key']) &&
    before['cipher_key'] !== after['cipher_key']
  );
}

/** Replaces every ciphertext in a row by the same text, so that only other values count as changes. */
function withoutCiphertext(row: AnyRow): AnyRow {
  return JSON.parse(JSON.stringify(row, (_key, value) => (isCiphertext(value) ? 'encrypted' : value)));
}

/** Entries are written once; only their seals are added, once, or the mark of forged ones. */
function watchedLog(table: Table, logged: string[]): Table {
  const refuse = async (): Promise<never> => {
    throw new Error('Entries of the audit log are neither changed nor deleted.');
  };
  return overrideTable(table, {
    async insert(rows) {
      for (const row of rows)
        for (const [id, changes] of partsOf(row as unknown as Recorded))
          logged.push(describeWrite(row['action'] as Write, row['entity_type'] as string, id, Object.keys(changes)));
      return table.insert(rows);
    },
    insertAbsent: refuse,
    async update(changes) {
      return changes.every(isSeal) ? table.update(changes) : refuse();
    },
    updateWhere: async (where, set) => (isMark(set) ? table.updateWhere(where, set) : refuse()),
    delete: refuse,
    purge: refuse,
  });
}

function isMark(set: Partial<AnyRow>): boolean {
  return Object.keys(set).join() === 'forged' && set['forged'] === true;
}

function isSeal({ row, set }: Change): boolean {
  return row['hash'] === null && Object.keys(set).sort().join() === 'hash,seq';
}
