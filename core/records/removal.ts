import { conflict } from '../errors.ts';
import type { FieldRow } from '../field/field-table.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import {
  batches,
  findReferrers,
  idsListing,
  listed,
  nameReferrers,
  type Referrers,
  rowsReferringTo,
} from './referrers.ts';

export interface RemovalContext {
  readonly tables: Tables;
  /** Every table of the store, each after those it refers to. */
  readonly all: readonly TableDescription[];
  readonly service: RecordServices;
  /** Only records that the actor may see are named. */
  readonly actor: Actor;
  /** Delete what refers to the record as well, and what refers to that. */
  readonly cascade: boolean;
}

/** How many records one transaction may delete or change. */
const maxRemoved = 10_000;
/** Counting stops there. */
const maxCounted = 100_000;
const queryBatch = 500;
/** Rows with bytes in them are deleted a few at a time: a store answers with what it deleted. */
const binaryBatch = 10;

/**
 * Deletes a record with its parts and, in a cascade, with all that refers to it: each record with its own audit entry.
 * Lists lose the deleted ids. Reactions run for every record before anything is deleted, so that they can prevent it.
 * @throws HorariumError `conflict` that names what still refers to it, or counts the records where they are too many.
 */
export async function removeRow(context: RemovalContext, target: TableDescription, row: AnyRow): Promise<void> {
  const removal = new Removal(context);
  removal.deleted.set(target.name, new Map([[row.id, row]]));
  const what = `${target.name} ${row.id}`;
  for (const table of context.all) {
    await removal.collect(table);
    if (removal.size > maxCounted) throw tooMany(what, `more than ${maxCounted}`);
  }
  if (removal.referrers.length > 0)
    throw conflict(`${what} cannot be deleted, for it is still referred to by ${nameReferrers(removal.referrers)}.`);
  if (removal.size > maxRemoved) throw tooMany(what, String(removal.size));
  await removal.execute();
}

function tooMany(what: string, count: string) {
  return conflict(`To delete ${what} ${count} records would have to be changed; ${maxRemoved} at once is the most.`);
}

class Removal {
  readonly deleted = new Map<string, Map<number, AnyRow>>();
  /** What prevents the deletion. */
  readonly referrers: Referrers[] = [];
  readonly #context: RemovalContext;
  /** Rows that stay, with the references that they lose. */
  readonly #losing: { readonly table: TableDescription; readonly columns: FieldRow[]; readonly ids: number[] }[] = [];

  constructor(context: RemovalContext) {
    this.#context = context;
  }

  get size(): number {
    const losing = this.#losing.reduce((sum, { ids }) => sum + ids.length, 0);
    return [...this.deleted.values()].reduce((sum, rows) => sum + rows.size, losing);
  }

  /** Finds the rows of one table that must go or change. All tables that it refers to have been looked through. */
  async collect(table: TableDescription): Promise<void> {
    const { tables, cascade } = this.#context;
    const pointing = table.columns.filter((column) => column.foreignKey !== false && this.#deletedOf(column).size > 0);
    const own = this.deleted.get(table.name) ?? new Map<number, AnyRow>();
    const losing: FieldRow[] = [];
    for (const column of pointing) {
      // Bookkeeping is deleted with its records, without being read.
      if (column.onDelete === 'cascade' && !table.audited) continue;
      if (column.onDelete === undefined && !cascade) await this.#refuse(table, column);
      else if (column.onDelete === 'setNull' || column.kind === 'references') losing.push(column);
      else for (const row of await rowsReferringTo(tables, table, column, this.#idsOf(column))) own.set(row.id, row);
    }
    if (own.size > 0) this.deleted.set(table.name, own);
    for (const row of own.values()) await this.#react(table, row, undefined);
    await this.#collectLosing(table, losing, own);
  }

  async execute(): Promise<void> {
    const { tables, all } = this.#context;
    for (const { table, columns, ids } of this.#losing)
      for (const some of batches(ids, queryBatch))
        for (const row of await tables.of(table).find({ where: [['id', 'in', some]] }))
          await this.#lose(table, columns, row);
    for (const table of all.toReversed()) await this.#delete(table);
  }

  async #refuse(table: TableDescription, column: FieldRow): Promise<void> {
    const { tables, actor } = this.#context;
    const target = this.#targetOf(column);
    const found = await findReferrers(tables, table, column, target, this.#deletedOf(column), visibleTo(actor, table));
    if (found) this.referrers.push(found);
  }

  async #collectLosing(table: TableDescription, columns: FieldRow[], own: ReadonlyMap<number, AnyRow>): Promise<void> {
    const { tables } = this.#context;
    const ids = new Set<number>();
    for (const column of columns) {
      const found =
        column.kind === 'references'
          ? await idsListing(tables, table, column, this.#deletedOf(column), this.#targetOf(column))
          : (await rowsReferringTo(tables, table, column, this.#idsOf(column))).map((row) => row.id);
      for (const id of found) if (!own.has(id)) ids.add(id);
    }
    if (ids.size > 0) this.#losing.push({ table, columns, ids: [...ids] });
  }

  async #lose(table: TableDescription, columns: readonly FieldRow[], row: AnyRow): Promise<void> {
    const { tables } = this.#context;
    const without = (column: FieldRow) => {
      const deleted = this.#deletedOf(column);
      if (column.kind === 'references') return listed(row, column).filter((id) => !deleted.has(id));
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
    for (const some of batches(ids, queryBatch)) await rows.delete([['id', 'in', some]]);
    if (table.audited) return;
    const size = table.columns.some((column) => column.kind === 'binary') ? binaryBatch : queryBatch;
    for (const column of table.columns.filter(({ onDelete }) => onDelete === 'cascade'))
      for (const some of batches(this.#idsOf(column), size)) await rows.delete([[column.name, 'in', some]]);
  }

  async #react(table: TableDescription, before: AnyRow, after: AnyRow | undefined): Promise<void> {
    const { tables, service } = this.#context;
    const { reactions = [] } = table as Partial<AnyResource>;
    for (const react of reactions) await react({ before, after }, tables, service);
  }

  #targetOf(column: FieldRow): TableDescription {
    return this.#context.all.find((table) => table.name === column.references) as TableDescription;
  }

  #deletedOf(column: FieldRow): ReadonlyMap<number, AnyRow> {
    return this.deleted.get(column.references ?? '') ?? new Map();
  }

  #idsOf(column: FieldRow): number[] {
    return [...this.#deletedOf(column).keys()];
  }
}
