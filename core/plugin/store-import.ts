import type { Core } from '../core.ts';
import { HorariumError, StaleRow } from '../errors.ts';
import type { Saved } from '../records/records.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import type { PlainRecord } from './command.ts';
import type {
  ImportEntry,
  ImportPlan,
  ImportRecord,
  ImportResult,
  RecordReference,
  StoredEntry,
  StoredRecord,
} from './importer.ts';

/**
 * Saves the records of an import in the caller's transaction.
 * @throws HorariumError what refused a record, naming the entry it belongs to; `not_found` for a missing reference.
 */
export async function storeImport(
  core: Pick<Core, 'records'>,
  actor: Actor,
  tables: Tables,
  { entries }: ImportPlan,
): Promise<StoredEntry[]> {
  const running = new RunningImport(core, actor, tables);
  const stored: StoredEntry[] = [];
  for (const entry of entries) stored.push(await running.store(entry));
  return stored;
}

/** One run of an import in one transaction; ids that were looked up once are remembered. */
class RunningImport {
  readonly #core: Pick<Core, 'records'>;
  readonly #actor: Actor;
  readonly #tables: Tables;
  readonly #ids = new Map<string, number>();

  constructor(core: Pick<Core, 'records'>, actor: Actor, tables: Tables) {
    this.#core = core;
    this.#actor = actor;
    this.#tables = tables;
  }

  async store({ origin, records }: ImportEntry): Promise<StoredEntry> {
    const stored: StoredRecord[] = [];
    for (const record of records) {
      const references: Record<string, unknown> = {};
      for (const [field, reference] of Object.entries(record.references ?? {}))
        references[field] = await this.#resolve(reference);
      stored.push(await naming(origin, () => this.#save(record, { ...record.fields, ...references })));
    }
    // An entry was changed where the last of its records was, else where one before was.
    const result = stored.map((each) => each.result).findLast((each) => each !== 'unchanged') ?? 'unchanged';
    return { records: stored, result };
  }

  async #save({ resource, merge }: ImportRecord, fields: PlainRecord): Promise<StoredRecord> {
    const key = Object.fromEntries(resource.key.map((name) => [name, fields[name]]));
    const before = await this.#find(resource, key);
    const input = before && merge ? { ...fields, ...merge(before) } : fields;
    const { row, created } = await this.#saveIn(resource, input);
    this.#ids.set(nameOf(resource, key), row.id);
    // Only a change raises the revision.
    const result: ImportResult = created
      ? 'created'
      : before?.['revision'] === row['revision']
        ? 'unchanged'
        : 'updated';
    return { row, result };
  }

  async #resolve(reference: RecordReference | readonly RecordReference[]): Promise<unknown> {
    if (!isList(reference)) return this.#idOf(reference);
    const ids = new Set<number>();
    for (const each of reference) ids.add(await this.#idOf(each));
    return [...ids];
  }

  async #idOf({ resource, key, create }: RecordReference): Promise<number> {
    const name = nameOf(resource, key);
    const known = this.#ids.get(name) ?? (await this.#find(resource, key))?.id;
    if (known === undefined && !create) throw missing(resource, key);
    const id = known ?? (await this.#saveIn(resource, key)).row.id;
    this.#ids.set(name, id);
    return id;
  }

  async #find(resource: AnyResource, key: PlainRecord): Promise<AnyRow | undefined> {
    const where: Where = Object.entries(key).map(([field, value]) => [field, '=', value] as const);
    return (await this.#tables.of(resource).find({ where }))[0];
  }

  #saveIn(resource: AnyResource, input: PlainRecord): Promise<Saved<AnyRow>> {
    return this.#core.records(resource).saveIn(this.#tables, this.#actor, input, {});
  }
}

/** Does the work of one entry; where that is refused, the sentence begins with the entry's origin. */
async function naming<T>(origin: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A stale row does not fail the import: the transaction is retried.
    if (!(error instanceof HorariumError) || error instanceof StaleRow || error.code === 'unavailable') throw error;
    throw new HorariumError(error.code, `${origin}: ${error.message}\nNothing was imported.`, error.errors);
  }
}

function missing({ names: { singular }, columns }: AnyResource, key: PlainRecord): HorariumError {
  const value = Object.values(key).join(' ');
  const options = Object.entries(key).map(([field, each]) => `--${field} ${each}`);
  const others = columns.filter((column) => column.required && !column.readOnly && !(column.name in key));
  const line = [`horarium ${singular}:save`, ...options, ...others.map(({ name }) => `--${name} "…"`)].join(' ');
  return new HorariumError('not_found', `There is no ${singular} ${value}; ${line} makes it.`);
}

function nameOf({ name }: AnyResource, key: PlainRecord): string {
  return JSON.stringify([name, Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
