import { HorariumError, StaleRow } from '../../errors.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { Saved } from '../../records/saved.ts';
import type { Actor } from '../../resource/actor.ts';
import type { AnyResource } from '../../resource/define-resource.ts';
import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import type { AnyRow } from '../../store/table.ts';
import type { PlainRecord } from '../command.ts';
import type { PluginCore } from '../plugin-core.ts';
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
 * @param onProgress is called after each entry.
 * @throws HorariumError what refused a record, naming the entry it belongs to; `not_found` for a missing reference.
 */
export async function storeImport(
  core: Pick<PluginCore, 'records'>,
  actor: Actor,
  tables: Tables,
  { entries }: ImportPlan,
  onProgress?: (done: number, total: number) => void,
): Promise<StoredEntry[]> {
  const running = new RunningImport(core, actor, tables);
  const stored: StoredEntry[] = [];
  for (const entry of entries) {
    await yieldToEventLoop();
    stored.push(await running.store(entry));
    onProgress?.(stored.length, entries.length);
  }
  return stored;
}

/** One run of an import in one transaction; it remembers ids that it looked up. */
class RunningImport {
  readonly #core: Pick<PluginCore, 'records'>;
  readonly #actor: Actor;
  readonly #tables: Tables;
  readonly #ids = new Map<string, number>();

  constructor(core: Pick<PluginCore, 'records'>, actor: Actor, tables: Tables) {
    this.#core = core;
    this.#actor = actor;
    this.#tables = tables;
  }

  async store({ origin, records }: ImportEntry): Promise<StoredEntry> {
    const stored: StoredRecord[] = [];
    for (const record of records) {
      await yieldToEventLoop();
      const references: Record<string, unknown> = {};
      for (const [field, reference] of Object.entries(record.references ?? {}))
        references[field] = await this.#resolve(reference);
      stored.push(await withOrigin(origin, () => this.#save(record, { ...record.fields, ...references })));
    }
    // The result of an entry is that of the last record that was created or updated.
    const result = stored.map((entry) => entry.result).findLast((entry) => entry !== 'unchanged') ?? 'unchanged';
    return { records: stored, result };
  }

  async #save({ resource, merge }: ImportRecord, fields: PlainRecord): Promise<StoredRecord> {
    const key = Object.fromEntries(resource.key.map((name) => [name, fields[name]]));
    const before = await this.#find(resource, key);
    const input = before && merge ? { ...fields, ...merge(before) } : fields;
    const row = await this.#saveIn(resource, input);
    this.#ids.set(nameOf(resource, key), row.id);
    // The revision tells, because only a change raises it.
    const result: ImportResult = row.created
      ? 'created'
      : before?.['revision'] === row['revision']
        ? 'unchanged'
        : 'updated';
    return { row, result };
  }

  async #resolve(reference: RecordReference | readonly RecordReference[]): Promise<unknown> {
    if (!isList(reference)) return this.#idOf(reference);
    const ids = new Set<number>();
    for (const entry of reference) {
      await yieldToEventLoop();
      ids.add(await this.#idOf(entry));
    }
    return [...ids];
  }

  async #idOf({ resource, key, create }: RecordReference): Promise<number> {
    const name = nameOf(resource, key);
    const existingId = this.#ids.get(name) ?? (await this.#find(resource, key))?.id;
    if (existingId === undefined && !create) throw missingReference(resource, key);
    const id = existingId ?? (await this.#saveIn(resource, key)).id;
    this.#ids.set(name, id);
    return id;
  }

  async #find(resource: AnyResource, key: PlainRecord): Promise<AnyRow | undefined> {
    const where: Where = Object.entries(key).map(([field, value]) => [field, '=', value] as const);
    return (await this.#tables.of(resource).find({ where }))[0];
  }

  #saveIn(resource: AnyResource, input: PlainRecord): Promise<Saved<AnyRow>> {
    return this.#core.records(resource).saveIn(this.#tables, this.#actor, input);
  }
}

/** Does the work of one entry; an error of it gets a message that begins with the entry's origin. */
async function withOrigin<T>(origin: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A stale row does not fail the import: the transaction is retried.
    if (!(error instanceof HorariumError) || error instanceof StaleRow || error.code === 'unavailable') throw error;
    throw new HorariumError(error.code, `${origin}: ${error.message}\nNothing was imported.`, error.errors);
  }
}

function missingReference({ names: { singular }, columns }: AnyResource, key: PlainRecord): HorariumError {
  const value = Object.values(key).join(' ');
  const options = Object.entries(key).map(([field, entry]) => `--${field} ${entry}`);
  const others = columns.filter((column) => column.required && !column.readOnly && !(column.name in key));
  const line = [`horarium ${singular}:save`, ...options, ...others.map(({ name }) => `--${name} "…"`)].join(' ');
  return new HorariumError('not_found', `There is no ${singular} ${value}; ${line} makes it.`);
}

function nameOf({ name }: AnyResource, key: PlainRecord): string {
  return JSON.stringify([name, Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
