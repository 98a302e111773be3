import { conflict } from '../errors.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import {
  batches,
  describeReferrers,
  findInIdLists,
  findReferrers,
  idList,
  type Referrers,
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
/** Counting stops here: the exact number no longer matters. */
const maxCounted = 100_000;
const queryBatch = 500;
/** Rows with binary columns are deleted in small batches, because a store may return the rows that it deletes. */
const binaryBatch = 10;

/**
 * Deletes a record with its parts and, in a cascade, with all records that refer to it, each with its own audit entry.
 * Deleted ids are removed from lists of ids. Reactions run for every record before any is deleted, so that they can
 * prevent the deletion.
 * @throws HorariumError `conflict` that names the records that still refer to it, or says that they are too many.
 */
export async function deleteRecord(context: DeletionContext, target: TableDescription, row: AnyRow): Promise<void> {
  const removal = new Deletion(context);
  removal.deleted.set(target.name, new Map([[row.id, row]]));
  const subject = `${target.name} ${row.id}`;
  for (const table of context.descriptions) {
    await removal.collect(table);
    if (removal.size > maxCounted) throw tooMany(subject, `more than ${maxCounted}`);
  }
  if (removal.referrers.length > 0)
    throw conflict(
      `${subject} cannot be deleted, for it is still referred to by ${describeReferrers(removal.referrers)}.`,
    );
  if (removal.size > maxChanged) throw tooMany(subject, String(removal.size));
  await removal.execute();
}

function tooMany(subject: string, count: string) {
  return conflict(`Deleting ${subject} would change ${count} records; at most ${maxChanged} can be changed at once.`);
}

class Deletion {
  readonly deleted = new Map<string, Map<number, AnyRow>>();
  /** The records that prevent the deletion. */
  readonly referrers: Referrers[] = [];
  readonly #context: DeletionContext;
  /** Rows that remain, with the reference columns that lose deleted ids. */
  readonly #detached: {
    readonly table: TableDescription;
    readonly columns: FieldDescription[];
    readonly ids: number[];
  }[] = [];

  constructor(context: DeletionContext) {
    this.#context = context;
  }

  get size(): number {
    const detached = this.#detached.reduce((sum, { ids }) => sum + ids.length, 0);
    return [...this.deleted.values()].reduce((sum, rows) => sum + rows.size, detached);
  }

  /** Finds the rows of a table to delete or change. The caller has collected those of all tables that it refers to. */
  async collect(table: TableDescription): Promise<void> {
    const { tables, cascade } = this.#context;
    const referring = table.columns.filter((column) => column.foreignKey !== false && this.#deletedOf(column).size > 0);
    const deletedRows = this.deleted.get(table.name) ?? new Map<number, AnyRow>();
    const detaching: FieldDescription[] = [];
    for (const column of referring) {
      // Bookkeeping is deleted with its records, without being read.
      if (column.onDelete === 'cascade' && !table.audited) continue;
      if (column.onDelete === undefined && !cascade) await this.#collectReferrers(table, column);
      else if (column.onDelete === 'setNull' || column.kind === 'references') detaching.push(column);
      else
        for (const row of await rowsReferringTo(tables, table, column, this.#idsOf(column)))
          deletedRows.set(row.id, row);
    }
    if (deletedRows.size > 0) this.deleted.set(table.name, deletedRows);
    for (const row of deletedRows.values()) await this.#react(table, row, undefined);
    await this.#collectDetached(table, detaching, deletedRows);
  }

  async execute(): Promise<void> {
    const { tables, descriptions } = this.#context;
    for (const { table, columns, ids } of this.#detached)
      for (const batch of batches(ids, queryBatch))
        for (const row of await tables.of(table).find({ where: [['id', 'in', batch]] }))
          await this.#detach(table, columns, row);
    for (const table of descriptions.toReversed()) await this.#delete(table);
  }

  async #collectReferrers(table: TableDescription, column: FieldDescription): Promise<void> {
    const { tables, actor } = this.#context;
    const target = this.#targetOf(column);
    const found = await findReferrers(tables, table, column, target, this.#deletedOf(column), visibleTo(actor, table));
    if (found) this.referrers.push(found);
  }

  async #collectDetached(
    table: TableDescription,
    columns: FieldDescription[],
    deletedRows: ReadonlyMap<number, AnyRow>,
  ): Promise<void> {
    const { tables } = this.#context;
    const ids = new Set<number>();
    for (const column of columns) {
      const found =
        column.kind === 'references'
          ? await findInIdLists(tables, table, column, this.#deletedOf(column), this.#targetOf(column))
          : (await rowsReferringTo(tables, table, column, this.#idsOf(column))).map((row) => row.id);
      for (const id of found) if (!deletedRows.has(id)) ids.add(id);
    }
    if (ids.size > 0) this.#detached.push({ table, columns, ids: [...ids] });
  }

  async #detach(table: TableDescription, columns: readonly FieldDescription[], row: AnyRow): Promise<void> {
    const { tables } = this.#context;
    const without = (column: FieldDescription) => {
      const deleted = this.#deletedOf(column);
      if (column.kind === 'references') return idList(row, column).filter((id) => !deleted.has(id));
      const id = row[column.name];
      return typeof id === 'number' && deleted.has(id) ? null : id;
    };
    const set = Object.fromEntries(columns.map((column) => [column.name, without(column)]));
    await tables.of(table).update([{ row, set }]);
    await this.#react(table, row, { ...row, ...set });
  }

  async #delete(table: TableDescription): Promise<void> {
    const rows = this.#context.tables.of(table);
    const ids = [...(this.deleted.get(table.name)?.keys() ?? [])];
    for (const batch of batches(ids, queryBatch)) await rows.delete([['id', 'in', batch]]);
    if (table.audited) return;
    const size = table.columns.some((column) => column.kind === 'binary') ? binaryBatch : queryBatch;
    for (const column of table.columns.filter(({ onDelete }) => onDelete === 'cascade'))
      for (const batch of batches(this.#idsOf(column), size)) await rows.delete([[column.name, 'in', batch]]);
  }

  async #react(table: TableDescription, before: AnyRow, after: AnyRow | undefined): Promise<void> {
    const { tables, service } = this.#context;
    const { reactions = [] } = table as Partial<AnyResource>;
    for (const react of reactions) await react({ before, after }, tables, service);
  }

  #targetOf(column: FieldDescription): TableDescription {
    return this.#context.descriptions.find((table) => table.name === column.references) as TableDescription;
  }

  #deletedOf(column: FieldDescription): ReadonlyMap<number, AnyRow> {
    return this.deleted.get(column.references ?? '') ?? new Map();
  }

  #idsOf(column: FieldDescription): number[] {
    return [...this.#deletedOf(column).keys()];
  }
}
