import type { LruCache } from '../registry/lru-cache.ts';
import { overrideTable, overrideTables, typedTable } from './override-tables.ts';
import type { Concern } from './pipeline.ts';
import type { Count, Query, Where } from './query.ts';
import { RegionCache } from './region-cache.ts';
import { textSize } from './rows.ts';
import { Setting, versionSetting } from './setting.ts';
import type { Table, Tables } from './store.ts';
import { type AnyRow, type CacheRegion, newRow, type TableDescription } from './table.ts';

/** How much one region holds, in characters; beyond that it drops what was not read lately. */
const maxSize = 16 * 1024 * 1024;
/** A row that is larger is read each time. */
const maxRowSize = 64 * 1024;
/** A result with more rows is a list for a person, which is not asked for again soon. */
const maxRows = 200;

/**
 * Caches the rows of tables that nearly every transaction reads and few change, such as templates and accounts. Tables
 * that are changed together form a region (`cacheRegion`). A region has a version in the store: a transaction that changes
 * one of its tables gives it a new one, so that the change takes effect on every host with the commit. Other programs
 * that write to these tables are not noticed.
 */
export class QueryCache {
  readonly #regions = new Map<CacheRegion, RegionCache<Cached>>();

  /** Lets transactions read from this cache, unless they have changed the region themselves. */
  readonly concern: Concern = (work, { singleStatement = false }) => {
    // The version and the rows are two statements.
    if (singleStatement) return work;
    return async (tables) => {
      const transaction = new CachedTransaction(tables, this.#regions);
      const result = await work(transaction.tables);
      await transaction.renewVersions();
      return result;
    };
  };
}

/** The rows that a query found, one row, a count, or several. */
type Cached = readonly AnyRow[] | AnyRow | number | readonly Count<AnyRow>[];

class CachedTransaction {
  readonly tables: Tables;
  readonly #tables: Tables;
  readonly #regions: Map<CacheRegion, RegionCache<Cached>>;
  /** The names of the regions that this transaction has changed. */
  readonly #changed = new Set<CacheRegion>();

  constructor(tables: Tables, regions: Map<CacheRegion, RegionCache<Cached>>) {
    this.#tables = tables;
    this.#regions = regions;
    const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
      const { cacheRegion } = description;
      if (cacheRegion === undefined) return tables.of(description);
      return typedTable(this.#table(tables.of<AnyRow>(description), description.table, cacheRegion), description);
    };
    this.tables = overrideTables(tables, { of });
  }

  /** Gives the changed regions new versions. They are random, because a number would come again after a rollback. */
  async renewVersions(): Promise<void> {
    const table = this.#tables.of(Setting);
    for (const region of [...this.#changed].sort()) {
      const [name, value] = [versionSetting(region), crypto.randomUUID()];
      if ((await table.updateWhere([['name', '=', name]], { value })) > 0) continue;
      // Another transaction may have inserted it since.
      const [id] = await table.insertAbsent([newRow(Setting, { name, value })], ['name']);
      if (id === null) await table.updateWhere([['name', '=', name]], { value });
    }
  }

  #table(table: Table, name: string, region: CacheRegion): Table {
    const changing = <A extends unknown[], T>(write: (...values: A) => Promise<T>) => {
      return (...values: A): Promise<T> => {
        this.#changed.add(region);
        return write(...values);
      };
    };
    return overrideTable(table, {
      find: (query: Query = {}) => this.#find(table, name, region, query),
      count: (where, max) =>
        this.#once(region, `${name} count ${JSON.stringify([where, max])}`, () => table.count(where, max)),
      countBy: async (by, where) => {
        const key = `${name} count by ${JSON.stringify([by, where])}`;
        const groups = await this.#once(region, key, () => table.countBy(by, where));
        return groups.map(({ values, count }) => ({ values: [...values], count }));
      },
      insert: changing((rows) => table.insert(rows)),
      insertAbsent: changing((rows, columns) => table.insertAbsent(rows, columns)),
      update: changing((changes) => table.update(changes)),
      updateWhere: changing((where, set, add) => table.updateWhere(where, set, add)),
      delete: changing((where) => table.delete(where)),
    });
  }

  async #find(table: Table, name: string, region: CacheRegion, query: Query): Promise<AnyRow[]> {
    const { where, order, limit, offset, lock } = query;
    if (lock || order || offset !== undefined) return table.find(query);
    const ids = limit === undefined ? idsOf(where) : null;
    if (ids) return this.#findByIds(table, name, region, ids, query);
    return [...(await this.#once(region, `${name} ${JSON.stringify(query)}`, () => table.find(query)))];
  }

  /** Returns what was read under a key, or reads it. Lists are shared, and so are their members. */
  async #once<T extends Cached>(region: CacheRegion, key: string, read: () => Promise<T>): Promise<T> {
    if (this.#changed.has(region)) return read();
    const values = await this.#valuesOf(region);
    const known = values.get(key) as T | undefined;
    if (known !== undefined) return known;
    const value = await read();
    if (!Array.isArray(value) || value.length <= maxRows) keep(values, key, value);
    return value;
  }

  async #findByIds(table: Table, name: string, region: CacheRegion, ids: readonly number[], { columns }: Query) {
    if (this.#changed.has(region)) return table.find({ where: [['id', 'in', ids]], ...(columns && { columns }) });
    const values = await this.#valuesOf(region);
    const keyOf = (id: number) => `${name} ${columns?.join() ?? '*'} ${id}`;
    const rows = new Map<number, AnyRow>();
    const missing: number[] = [];
    for (const id of ids) {
      const row = values.get(keyOf(id)) as AnyRow | undefined;
      if (row) rows.set(id, row);
      else missing.push(id);
    }
    if (missing.length > 0) {
      const asked = columns && !columns.includes('id') ? ([...columns, 'id'] as const) : columns;
      const found = await table.find({ where: [['id', 'in', missing]], ...(asked && { columns: asked }) });
      for (const row of found) {
        keep(values, keyOf(row.id), Object.freeze(row));
        rows.set(row.id, row);
      }
    }
    return [...rows.values()].sort((a, b) => a.id - b.id);
  }

  #valuesOf(name: CacheRegion): Promise<LruCache<Cached>> {
    const region = this.#regions.get(name) ?? new RegionCache(name, maxSize);
    this.#regions.set(name, region);
    return region.valuesIn(this.#tables);
  }
}

function keep(values: LruCache<Cached>, key: string, value: Cached): void {
  const size = textSize(value);
  if (size > maxRowSize) return;
  if (Array.isArray(value)) value.forEach(Object.freeze);
  values.set(key, value, size + key.length);
}

/** Returns the distinct ids that conditions name, if they name nothing else. */
function idsOf(where: Where = []): number[] | null {
  const [condition] = where;
  if (!condition || where.length > 1 || 'any' in condition || condition[0] !== 'id') return null;
  if (condition[1] === 'in') return [...new Set(condition[2] as readonly number[])];
  return condition[1] === '=' ? [condition[2] as number] : null;
}
