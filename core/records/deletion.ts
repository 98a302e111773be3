import { conflict } from '../errors.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { batches, textSize } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import {
  describeReferrers,
  findInIdLists,
  findReferrers,
  idList,
  type ReferrerGroup,
  rowBatch,
  rowsReferringTo,
} from './referrers.ts';

export interface DeletionContext {
  readonly tables: Tables;
  /** Every table of the store, each after those it refers to. */
  readonly descriptions: readonly TableDescription[];
  readonly service: RecordServices;
  /** Who deletes: error messages name only records that the actor may see. */
  readonly actor: Actor;
  /** Whether to delete the records that refer to it as well, and those that refer to them. */
  readonly cascade: boolean;
}

/** How many records one transaction may delete or change. */
const maxChanged = 10_000;
/** How many characters the records that one transaction deletes may have: it holds them until their entries are written. */
const maxText = 64 * 1024 * 1024;
/** Records are counted up to this number, for the message of the error. */
const maxCounted = 100_000;
const queryBatch = 500;
/** Rows with binary columns are deleted in small batches, because a store may return the rows that it deletes. */
const bookkeepingBatch = 10;

/**
 * Deletes a record, the records that its references cascade to (`onDelete: 'cascade'`) and, in a cascade, all others
 * that refer to it, each with its own audit entry. Deleted ids are removed from lists of ids. Reactions run for every
 * record before any is deleted, so that they can prevent the deletion.
 * @throws HorariumError `conflict` that names the records that still refer to it, or says that they are too many or too
 *   large.
 */
export async function deleteRecord(context: DeletionContext, table: TableDescription, row: AnyRow): Promise<void> {
  const deletion = await collectDeletion(context, table, row, true);
  await deletion.execute();
}

/**
 * Checks what `deleteRecord` does, without writing anything or running reactions.
 * @throws HorariumError `conflict` as `deleteRecord`.
 */
export async function assertDeletable(context: DeletionContext, table: TableDescription, row: AnyRow): Promise<void> {
  await collectDeletion(context, table, row, false);
}

/** @param reacts whether reactions run, which may change what is deleted with the record. */
async function collectDeletion(
  context: DeletionContext,
  table: TableDescription,
  row: AnyRow,
  reacts: boolean,
): Promise<Deletion> {
  const record = `${table.name} ${row.id}`;
  const deletion = new Deletion(context, record, reacts);
  deletion.deleted.set(table.name, new Map([[row.id, row]]));
  for (const description of context.descriptions) {
    await deletion.collect(description);
    if (deletion.size > maxCounted) throw tooMany(record, `more than ${maxCounted}`);
  }
  if (deletion.referrers.length > 0) {
    const referrers = describeReferrers(deletion.referrers);
    throw conflict(`${record} cannot be deleted, because it is still referenced by ${referrers}.`);
  }
  if (deletion.size > maxChanged) throw tooMany(record, String(deletion.size));
  return deletion;
}

function tooLarge(record: string, table: string) {
  const size = `${maxText / 1024 / 1024} MiB`;
  return conflict(
    `Deleting ${record} would delete more than ${size} at once; delete some of its ${table} records first.`,
  );
}

function tooMany(record: string, count: string) {
  return conflict(`Deleting ${record} would change ${count} records; at most ${maxChanged} can be changed at once.`);
}

/** The rows of a table that remain, with the columns that lose their references to deleted rows. */
interface DetachedRows {
  readonly table: TableDescription;
  readonly columns: readonly FieldDescription[];
  readonly ids: readonly number[];
}

/**
 * What becomes of the rows that refer to a deleted record by a column: they prevent the deletion (`restrict`), lose the
 * reference (`detach`), are deleted as well, each with its own audit entry (`delete`), or are deleted by their
 * reference, without being read, because their table is not audited (`bookkeeping`).
 */
type Fate = 'restrict' | 'detach' | 'delete' | 'bookkeeping';

/**
 * Decides the fate of rows. A list of ids restricts as a single reference does, but never deletes its record: a cascade
 * removes the id from the list, because the record goes on with the others.
 * @param cascade whether rows whose references restrict are deleted as well
 */
function fateOf({ audited }: TableDescription, { kind, onDelete }: FieldDescription, cascade: boolean): Fate {
  if (onDelete === undefined && !cascade) return 'restrict';
  if (onDelete === 'setNull' || kind === 'references') return 'detach';
  return onDelete === 'cascade' && !audited ? 'bookkeeping' : 'delete';
}

class Deletion {
  /** The rows to delete, by the name of their table and their id. */
  readonly deleted = new Map<string, Map<number, AnyRow>>();
  /** The records that prevent the deletion. */
  readonly referrers: ReferrerGroup[] = [];
  readonly #context: DeletionContext;
  readonly #record: string;
  readonly #reacts: boolean;
  readonly #detached: DetachedRows[] = [];
  /** The characters of the rows to delete. */
  #text = 0;

  /** @param record names the record that is deleted. */
  constructor(context: DeletionContext, record: string, reacts: boolean) {
    this.#context = context;
    this.#reacts = reacts;
    this.#record = record;
  }

  /** The number of rows to delete or to detach. */
  get size(): number {
    const detached = this.#detached.reduce((sum, { ids }) => sum + ids.length, 0);
    return [...this.deleted.values()].reduce((sum, rows) => sum + rows.size, detached);
  }

  /** Collects the rows of a table to delete or to detach, after those of all tables that it refers to. */
  async collect(table: TableDescription): Promise<void> {
    const deletedRows = this.deleted.get(table.name) ?? new Map<number, AnyRow>();
    const detachedColumns: FieldDescription[] = [];
    for (const column of table.columns) {
      if (column.foreignKey === false || this.#deletedTargets(column).size === 0) continue;
      switch (fateOf(table, column, this.#context.cascade)) {
        case 'restrict':
          await this.#collectReferrers(table, column);
          break;
        case 'detach':
          detachedColumns.push(column);
          break;
        case 'delete':
          for await (const rows of this.#referringBy(table, column)) this.#add(table, deletedRows, rows);
          break;
        case 'bookkeeping': // Deleted without being read.
      }
    }
    if (deletedRows.size > 0) this.deleted.set(table.name, deletedRows);
    for (const row of this.#reacts ? deletedRows.values() : []) {
      await yieldToEventLoop();
      await this.#react(table, row, undefined);
    }
    await this.#collectDetached(table, detachedColumns, deletedRows);
  }

  async execute(): Promise<void> {
    const { tables, descriptions } = this.#context;
    for (const { table, columns, ids } of this.#detached)
      for (const batch of batches(ids, rowBatch))
        for (const row of await tables.of(table).find({ where: [['id', 'in', batch]] })) {
          await yieldToEventLoop();
          await this.#detach(table, columns, row);
        }
    for (const table of descriptions.toReversed()) await this.#delete(table);
  }

  async #collectReferrers(table: TableDescription, column: FieldDescription): Promise<void> {
    const { tables, actor } = this.#context;
    const target = this.#targetOf(column);
    const deleted = this.#deletedTargets(column);
    const found = await findReferrers(tables, table, column, target, deleted, visibleTo(actor, table));
    if (found) this.referrers.push(found);
  }

  async #collectDetached(
    table: TableDescription,
    columns: readonly FieldDescription[],
    deletedRows: ReadonlyMap<number, AnyRow>,
  ): Promise<void> {
    const { tables } = this.#context;
    const ids = new Set<number>();
    const detach = (found: readonly number[]) => {
      for (const id of found) if (!deletedRows.has(id)) ids.add(id);
    };
    for (const column of columns) {
      if (column.kind === 'references')
        detach(await findInIdLists(tables, table, column, this.#deletedTargets(column), this.#targetOf(column)));
      else for await (const rows of this.#referringBy(table, column, ['id'])) detach(rows.map(({ id }) => id));
    }
    if (ids.size > 0) this.#detached.push({ table, columns, ids: [...ids] });
  }

  async #detach(table: TableDescription, columns: readonly FieldDescription[], row: AnyRow): Promise<void> {
    const { tables } = this.#context;
    const remaining = (column: FieldDescription) => {
      const deleted = this.#deletedTargets(column);
      if (column.kind === 'references') return idList(row, column).filter((id) => !deleted.has(id));
      const id = row[column.name];
      return typeof id === 'number' && deleted.has(id) ? null : id;
    };
    const set = Object.fromEntries(columns.map((column) => [column.name, remaining(column)]));
    await tables.of(table).update([{ row, set }]);
    await this.#react(table, row, { ...row, ...set });
  }

  async #delete(table: TableDescription): Promise<void> {
    const { tables, cascade } = this.#context;
    const rows = tables.of(table);
    const ids = [...(this.deleted.get(table.name)?.keys() ?? [])];
    for (const batch of batches(ids, queryBatch)) {
      await yieldToEventLoop();
      await rows.delete([['id', 'in', batch]]);
    }
    for (const column of table.columns.filter((each) => fateOf(table, each, cascade) === 'bookkeeping'))
      for (const batch of batches(this.#deletedTargetIds(column), bookkeepingBatch)) {
        await yieldToEventLoop();
        await rows.purge([[column.name, 'in', batch]]);
      }
  }

  async #react(table: TableDescription, before: AnyRow, after: AnyRow | undefined): Promise<void> {
    const { tables, service } = this.#context;
    const { reactions = [] } = table as Partial<AnyResource>;
    for (const react of reactions) await react({ before, after }, tables, service);
  }

  /** Adds rows to those to delete. @throws HorariumError `conflict` where they are too large to be held together. */
  #add(table: TableDescription, deletedRows: Map<number, AnyRow>, rows: readonly AnyRow[]): void {
    for (const row of rows) deletedRows.set(row.id, row);
    this.#text += textSize(rows);
    if (this.#text > maxText) throw tooLarge(this.#record, table.name);
  }

  #referringBy(table: TableDescription, column: FieldDescription, columns?: readonly string[]) {
    return rowsReferringTo(this.#context.tables, table, column, {
      ids: this.#deletedTargetIds(column),
      columns,
    });
  }

  /** Returns the table that a column refers to. */
  #targetOf(column: FieldDescription): TableDescription {
    return this.#context.descriptions.find((table) => table.name === column.references) as TableDescription;
  }

  /** Returns the rows to delete in the table that a column refers to. */
  #deletedTargets(column: FieldDescription): ReadonlyMap<number, AnyRow> {
    return this.deleted.get(column.references ?? '') ?? new Map();
  }

  #deletedTargetIds(column: FieldDescription): number[] {
    return [...this.#deletedTargets(column).keys()];
  }
}
