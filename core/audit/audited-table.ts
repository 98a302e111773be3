import { notFound, StaleRow } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import type { WrittenBytes } from '../quota/change-quota.ts';
import type { Actor } from '../resource/actor.ts';
import type { AddedFields } from '../resource/added-fields.ts';
import type { Resource } from '../resource/define-resource.ts';
import { overrideTable } from '../store/override-tables.ts';
import type { Query, Steps, Where } from '../store/query.ts';
import { insertOne } from '../store/rows.ts';
import type { Change, Table, Tables } from '../store/store.ts';
import { storedRowOf } from '../store/stored-values.ts';
import type { AnyRow, RowValues, TableDescription } from '../store/table.ts';
import type { Changes } from './changes.ts';
import { diff, isAudited } from './diff.ts';
import type { ObservedChanges } from './observed-changes.ts';
import type { NewEntry } from './signed-entry.ts';

export interface AuditContext {
  /** The tables without the audit. */
  readonly tables: Tables;
  readonly actor: Actor;
  readonly entries: NewEntry[];
  readonly observed: ObservedChanges;
  /** Counts what the changes write; null = the actor has no limit. */
  readonly written: WrittenBytes | null;
  now(): Promise<Instant>;
}

/** An update of a record, with the changes of its added fields. */
interface RecordUpdate extends Change {
  /** @default none */
  readonly added?: Changes;
}

/**
 * A table of records whose every change becomes an audit entry. It sets `revision`, `created_at` and `updated_at`;
 * changes that touch no audited field leave them alone.
 */
export class AuditedTable implements Table {
  readonly #description: TableDescription;
  readonly #table: Table;
  readonly #context: AuditContext;

  constructor(description: TableDescription, table: Table, context: AuditContext) {
    this.#description = description;
    this.#table = table;
    this.#context = context;
  }

  find(query?: Query) {
    return this.#table.find(query);
  }

  count(where?: Where, max?: number) {
    return this.#table.count(where, max);
  }

  countBy(by: readonly string[], where?: Where) {
    return this.#table.countBy(by, where);
  }

  sumBy(by: readonly string[], sums: readonly string[], where?: Where) {
    return this.#table.sumBy(by, sums, where);
  }

  histogram(by: readonly string[], steps: Steps, where?: Where) {
    return this.#table.histogram(by, steps, where);
  }

  async insert(rows: readonly Omit<AnyRow, 'id'>[]): Promise<number[]> {
    const now = await this.#context.now();
    const complete = rows.map((row) => firstRevision(row, now));
    const ids = await this.#table.insert(complete);
    this.#noteCreated(complete, ids, now);
    return ids;
  }

  async insertAbsent(rows: readonly Omit<AnyRow, 'id'>[], key: readonly string[]): Promise<(number | null)[]> {
    const now = await this.#context.now();
    const complete = rows.map((row) => firstRevision(row, now));
    const ids = await this.#table.insertAbsent(complete, key);
    this.#noteCreated(complete, ids, now);
    return ids;
  }

  /** @throws StaleRow when one of the rows was changed since it was read. */
  async update(changes: readonly RecordUpdate[]): Promise<number[]> {
    const now = await this.#context.now();
    const diffs = changes.map(({ row, set, added }) => ({
      row,
      set,
      changed: { ...diff(this.#description, row, set), ...added },
    }));
    const updatedIds = await this.#table.update(
      diffs.map(({ row, set, changed }) =>
        Object.keys(changed).length === 0 ? { row, set } : { row, set: { ...set, ...nextRevision(row, now) } },
      ),
    );
    const updated = new Set(updatedIds);
    for (const { row, set, changed } of diffs) {
      if (!updated.has(row.id)) throw new StaleRow(this.#description.name, row.id);
      if (Object.keys(changed).length > 0) this.#note('update', row, { ...row, ...set }, changed, now);
    }
    return updatedIds;
  }

  /** Updates unaudited fields only. @throws Error for an audited field, which `update` must change row by row. */
  async updateWhere(where: Where, set: Partial<AnyRow>, add: Readonly<Record<string, number>> = {}): Promise<number> {
    refuseAudited(this.#description, { ...set, ...add });
    return this.#table.updateWhere(where, set, add);
  }

  async delete(where: Where): Promise<AnyRow[]> {
    const now = await this.#context.now();
    const rows = await this.#table.delete(where);
    const added = await this.#deleteAdded(rows.map(({ id }) => id));
    for (const row of rows)
      this.#note('delete', row, null, { ...diff(this.#description, row, undefined), ...added.get(row.id) }, now);
    return rows;
  }

  /** Deletes like `delete`: the entry of a deletion has what was deleted. */
  async purge(where: Where): Promise<number> {
    return (await this.delete(where)).length;
  }

  /** Deletes the added fields of records. @returns what is lost, by the ids of the records. */
  async #deleteAdded(ids: readonly number[]): Promise<ReadonlyMap<number, Changes>> {
    const lost = new Map<number, Changes>();
    const { added = [] } = this.#description as Partial<Resource>;
    const deleteRows = async (table: TableDescription) => {
      const rows = await this.#context.tables.of(table).delete([['record_id', 'in', ids]]);
      for (const row of rows) {
        const id = row['record_id'] as number;
        lost.set(id, { ...lost.get(id), ...diff(table, row, undefined) });
      }
    };
    if (ids.length > 0) await Promise.all(added.map(deleteRows));
    return lost;
  }

  /** Notes the rows that were inserted: those that have an id. */
  #noteCreated(rows: readonly RowValues[], ids: readonly (number | null)[], now: Instant): void {
    rows.forEach((row, index) => {
      const id = ids[index];
      if (typeof id === 'number')
        this.#note('create', null, { ...row, id }, diff(this.#description, undefined, row), now);
    });
  }

  #companyOf(row: RowValues): number | null {
    const { company } = this.#description as Partial<Resource>;
    const id = company ? row[company] : null;
    return typeof id === 'number' ? id : null;
  }

  #note(action: NewEntry['action'], before: AnyRow | null, after: AnyRow | null, changes: Changes, now: Instant): void {
    const { actor, written, observed } = this.#context;
    observed.note(this.#description, before, after);
    const row = (after ?? before) as AnyRow;
    const companyId = this.#companyOf(row);
    if (after) written?.add(companyId, after);
    this.#context.entries.push({
      created_at: now,
      user_id: actor.userId,
      channel: actor.channel,
      actor: actor.name,
      action,
      entity_type: this.#description.name,
      entity_id: row.id,
      company_id: companyId,
      changes,
      ip: actor.ip,
      request_id: actor.requestId,
    });
  }
}

/**
 * Returns a table of added fields whose every change becomes one of the record that has the fields.
 * @param records those that have the fields
 */
export function auditedFields(added: AddedFields, table: Table, records: AuditedTable): Table {
  const note = async (changes: readonly { readonly before?: RowValues; readonly after?: RowValues }[]) => {
    const byRecord = new Map<number, Changes>();
    for (const { before, after } of changes) {
      const changed = diff(added, before, after);
      if (Object.keys(changed).length > 0) byRecord.set((after ?? before)?.['record_id'] as number, changed);
    }
    if (byRecord.size === 0) return;
    const rows = await records.find({ where: [['id', 'in', [...byRecord.keys()]]] });
    const missing = [...byRecord.keys()].find((id) => !rows.some((row) => row.id === id));
    if (missing !== undefined) throw notFound(added.of.name, missing);
    await records.update(rows.map((row) => ({ row, set: {}, added: byRecord.get(row.id) ?? {} })));
  };
  const remove = async (where: Where) => {
    const rows = await table.delete(where);
    await note(rows.map((before) => ({ before })));
    return rows;
  };
  return overrideTable(table, {
    async insert(rows) {
      const ids = await table.insert(rows);
      await note(rows.map((after) => ({ after })));
      return ids;
    },
    async insertAbsent(rows, key) {
      const ids = await table.insertAbsent(rows, key);
      await note(rows.filter((_row, index) => typeof ids[index] === 'number').map((after) => ({ after })));
      return ids;
    },
    async update(changes) {
      const ids = new Set(await table.update(changes));
      const done = changes.filter(({ row }) => ids.has(row.id));
      await note(done.map(({ row, set }) => ({ before: row, after: { ...row, ...set } })));
      return [...ids];
    },
    // Hidden fields only: `update` changes the others row by row.
    updateWhere(where, set, add = {}) {
      refuseAudited(added, { ...set, ...add });
      return table.updateWhere(where, set, add);
    },
    delete: remove,
    purge: async (where) => (await remove(where)).length,
  });
}

/** @throws Error where an audited field is among those that are written. */
function refuseAudited({ name, columns }: TableDescription, written: RowValues): void {
  const audited = columns.find((column) => isAudited(column) && column.name in written);
  if (audited) throw new Error(`${name}.${audited.name} is audited: use update, not updateWhere.`);
}

/**
 * Inserts a record and returns it as the store holds it, without reading it again.
 * @throws HorariumError `conflict` when a unique group is taken.
 */
export async function insertRecord<R extends AnyRow>(
  tables: Tables,
  description: TableDescription<R>,
  row: Omit<R, 'id'>,
): Promise<R> {
  const id = await insertOne(tables.of(description), row);
  return asStored(description, undefined, { ...row, id } as R, await tables.now());
}

/**
 * Returns a record as the store holds it after an insert, or after an update from `before`, without reading it again.
 * @param now the time of the transaction
 */
export function asStored<R extends AnyRow>(
  description: TableDescription<R>,
  before: R | undefined,
  after: R,
  now: Instant,
): R {
  if (!before) return storedRowOf(description, firstRevision(after, now));
  const changed = Object.keys(diff(description, before, after)).length > 0;
  return storedRowOf(description, changed ? { ...after, ...nextRevision(before, now) } : after);
}

function firstRevision<T extends object>(row: T, now: Instant): T {
  return { ...row, revision: 1, created_at: now, updated_at: now };
}

function nextRevision(row: object, now: Instant): object {
  return { revision: (row as { revision: number }).revision + 1, updated_at: now };
}
