import type { AuditedStore } from '../audit/audited-store.ts';
import { asStored, insertRecord } from '../audit/audited-table.ts';
import { changedFields } from '../audit/diff.ts';
import { denied, type FieldError, HorariumError } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import {
  assertVersion,
  authorize,
  companyOf,
  findVisible,
  readVisible,
  refusalOf,
  visibleTo,
  writeRefusalOf,
} from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { checkReferences, type ResourceFinder, resolveNames, setCompany } from '../resource/references.ts';
import { listColumns } from '../resource/serialize-row.ts';
import { restoreMasked } from '../secret/encrypt-secrets.ts';
import { hashPasswords, type PasswordHashes } from '../secret/hash-passwords.ts';
import type { RecordCipher } from '../secret/record-cipher.ts';
import { warnOfShortSecrets } from '../secret/short-secrets.ts';
import type { Query, Where } from '../store/query.ts';
import { textSize } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, RowValues, TableDescription } from '../store/table.ts';
import { deleteRecord } from './deletion.ts';
import { encryptRow } from './encrypt-rows.ts';
import { readInput, throwIfInvalid, validPasswords } from './input.ts';
import { type ListQuery, readListQuery } from './list-query.ts';
import { whereNaturalKey } from './natural-key.ts';
import { furtherRows, maxPageText, type RowsAtOnce, rowsAtOnce, streamPageSize } from './page-size.ts';
import { asSaved, type Saved } from './saved.ts';

export interface RecordsContext {
  readonly store: AuditedStore;
  readonly findResource: ResourceFinder;
  readonly service: RecordServices;
  /** Every table of the store, each after those it refers to. */
  readonly tables: readonly TableDescription[];
}

export interface SaveOptions {
  /** The record to update; without it the natural key decides between update and create. @default `id` of the input */
  readonly id?: number | undefined;
  /** Refuses to update: the record must be new. @default false */
  readonly createOnly?: boolean;
  /** Refuses to update unless the record is still at this version. @default any */
  readonly version?: number | undefined;
  /** The hashes of the passwords in the input, from `hashPasswords`. @default none */
  readonly hashes?: PasswordHashes | undefined;
}

export interface DeleteOptions extends Pick<SaveOptions, 'version'> {
  /** Deletes what refers to the record as well, and what refers to that; only administrators may. @default false */
  readonly cascade?: boolean | undefined;
}

export interface Page<R> {
  readonly rows: R[];
  /** The cursor to give as `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** The rows of a page, and whether there are further ones. */
interface FoundRows {
  readonly rows: AnyRow[];
  readonly hasMore: boolean;
}

/** A save within its transaction. */
interface Save<R> {
  readonly tables: Tables;
  readonly actor: Actor;
  /** The stored row; undefined for a new one. */
  readonly before: R | undefined;
  /** The reference fields that were given by name. */
  readonly named: ReadonlySet<string>;
  /** The invalid fields found so far. */
  readonly errors: FieldError[];
  readonly hashes: PasswordHashes | undefined;
}

/** Create, read, update and delete for one kind of record, for every channel alike. */
export class Records<R extends AnyRow = AnyRow, I extends object = object> {
  readonly resource: Resource<R, I>;
  readonly #context: RecordsContext;

  constructor(resource: Resource<R, I>, context: RecordsContext) {
    this.resource = resource;
    this.#context = context;
  }

  /**
   * Reads one page of the records that the actor may see, which may be none. Of large records it may hold fewer than
   * `limit`, though there are more.
   * @throws HorariumError `bad_request` for an invalid parameter.
   */
  async list(actor: Actor, list: ListQuery<R> = {}): Promise<Page<R>> {
    const { query, cursor } = readListQuery(this.resource, list);
    const where = [...(query.where ?? []), ...visibleTo(actor, this.resource)];
    const { rows, hasMore } = await this.#readRows({ ...query, where } as Query, query.limit as number);
    const last = rows.at(-1);
    return { rows: rows as R[], next: hasMore && last ? cursor(last) : null };
  }

  /** Reads the rows of a page. @param limit how many it may have. */
  #readRows(query: Query, limit: number): Promise<FoundRows> {
    const { store } = this.#context;
    const sought = { ...query, limit: limit + 1 };
    const atOnce = rowsAtOnce(this.resource);
    const { lookup } = this.resource;
    if (lookup)
      return store.read(async (tables) => {
        const { where, show } = await lookup(tables, query.where ?? []);
        const found = await this.#findLarge(tables, { ...sought, where }, atOnce);
        return { ...found, rows: found.rows.map(show) };
      });
    if (atOnce.first < Infinity) return store.read((tables) => this.#findLarge(tables, sought, atOnce));
    return store.readOnce(async (tables) => {
      const rows = await this.#find(tables, { ...sought, columns: listColumns(this.resource) });
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  #find(tables: Tables, query: Query): Promise<AnyRow[]> {
    return tables.of<AnyRow>(this.resource).find(query);
  }

  /**
   * Finds rows that may be large by their ids, some at a time until the page is full: a database that must sort them would
   * copy all of each that it sorts. If ids were changed without the service, so that they name no row or several,
   * it reads a few of the rows themselves.
   * @param query finds one row more than the page may have.
   */
  async #findLarge(tables: Tables, query: Query, { first, further }: RowsAtOnce): Promise<FoundRows> {
    const columns = listColumns(this.resource);
    const ids = (await this.#find(tables, { ...query, columns: ['id'] })).map(({ id }) => id);
    const limit = Math.min(ids.length, (query.limit as number) - 1);
    const rows: AnyRow[] = [];
    let size = 0;
    // One row at least, however large.
    let fitting = 1;
    for (let count = first; rows.length < limit && count > 0; ) {
      await yieldToEventLoop();
      const batch = ids.slice(rows.length, Math.min(limit, rows.length + count));
      const found = batch.every(Number.isSafeInteger)
        ? await this.#find(tables, { where: [['id', 'in', batch]], columns })
        : [];
      const byId = new Map(found.map((row) => [row.id, row]));
      if (found.length !== batch.length || byId.size !== batch.length) {
        const max = Math.min(limit, further);
        const few = await this.#find(tables, { ...query, limit: max + 1, columns });
        return { rows: few.slice(0, max), hasMore: few.length > max };
      }
      for (const id of batch) {
        const row = byId.get(id) as AnyRow;
        size += textSize(row);
        rows.push(row);
        if (size <= maxPageText) fitting = rows.length;
      }
      count = Math.min(further, furtherRows(rows.length, size));
    }
    return { rows: rows.slice(0, fitting), hasMore: fitting < ids.length };
  }

  /**
   * Reads all rows of a list page by page, each when the previous one was consumed, so that only one page is in memory.
   * Rows written meanwhile may or may not be included. `limit` is the size of the pages.
   */
  async *pages(actor: Actor, { offset, ...list }: ListQuery<R> = {}): AsyncGenerator<R[], void> {
    const first: ListQuery<R> = offset === undefined ? list : { ...list, offset };
    for (let query: ListQuery<R> | null = { limit: streamPageSize, ...first }; query !== null; ) {
      // A store in this process, and a client that reads fast, leave no other moment for the requests of others.
      await yieldToEventLoop('bulk');
      const page: Page<R> = await this.list(actor, query);
      yield page.rows;
      query = page.next === null ? null : { limit: streamPageSize, ...list, after: page.next };
    }
  }

  /** Counts the rows of a whole list; counting stops at `max`. */
  async count(actor: Actor, list: ListQuery<R>, max: number): Promise<number> {
    const { after: _after, ...whole } = list;
    const { query } = readListQuery(this.resource, whole);
    const where = [...(query.where ?? []), ...visibleTo(actor, this.resource)];
    const { lookup } = this.resource;
    if (!lookup) return this.#context.store.readOnce((tables) => tables.of(this.resource).count(where, max));
    return this.#context.store.read(async (tables) => {
      const found = await lookup(tables, where as Where);
      return tables.of<AnyRow>(this.resource).count(found.where, max);
    });
  }

  /** Reads one record. @throws HorariumError `not_found`, also for a record that the actor may not see. */
  async get(actor: Actor, id: number): Promise<R> {
    return this.#context.store.readOnce((tables) => readVisible(tables, actor, this.resource, id));
  }

  /**
   * Creates a record or updates the one that `options.id`, `input.id` or the natural key names.
   * @throws HorariumError `invalid` with every invalid field, `denied`, `not_found`, `conflict`, `precondition_failed`.
   */
  async save(actor: Actor, input: I, options: SaveOptions = {}): Promise<Saved<R>> {
    const hashes = await this.hashPasswords(actor, input, options);
    return this.#context.store.transaction(actor, (tables) =>
      this.saveIn(tables, actor, input, { ...options, hashes }),
    );
  }

  /**
   * Hashes the passwords of an input for `saveIn`, before its transaction begins: hashing is slow on purpose, and a store
   * with one writer writes nothing else meanwhile. Skips an input that the save will refuse.
   * @throws HorariumError `unavailable` when too many wait for a hash.
   */
  async hashPasswords(actor: Actor, given: I, options: Pick<SaveOptions, 'id'> = {}): Promise<PasswordHashes> {
    const columns = this.resource.columns.filter(({ secret }) => secret === 'hashed');
    const { id: bodyId, ...fields } = (given ?? {}) as Record<string, unknown>;
    const passwords = validPasswords(this.resource, columns, fields);
    if (Object.keys(passwords).length === 0) return new Map();
    const id = options.id ?? readId(bodyId);
    const { before, refusal } = await this.#context.store.read(async (tables) => {
      const { input } = await resolveNames(this.resource, this.#context.findResource, fields, tables, []);
      const before = await (id === undefined
        ? this.#findByKey(tables, input)
        : findVisible(tables, actor, this.resource, id));
      const refusal = before
        ? await refusalOf(actor, this.resource, before, before, tables)
        : writeRefusalOf(actor, this.resource, ['create']);
      return { before, refusal };
    });
    if (refusal !== undefined) return new Map();
    return hashPasswords(columns, passwords, before, this.#context.service.passwordHasher);
  }

  /**
   * Saves like `save`, in the caller's transaction. Passwords that `options.hashes` lacks are hashed in it, as long as
   * that takes.
   */
  async saveIn(tables: Tables, actor: Actor, given: I, options: SaveOptions = {}): Promise<Saved<R>> {
    this.#checkOperation('save');
    const { id: bodyId, ...fields } = (given ?? {}) as Record<string, unknown>;
    const id = options.id ?? readId(bodyId);
    if (id === undefined) this.#authorizeCreation(actor);
    const errors: FieldError[] = [];
    const { input, named } = await resolveNames(this.resource, this.#context.findResource, fields, tables, errors);
    const existing =
      id === undefined ? this.#lockByKey(tables, actor, input) : readVisible(tables, actor, this.resource, id, 'wait');
    // The time is read along with the row, because every row that is written contains it.
    const [before] = await Promise.all([existing, tables.now()]);
    if (before && options.createOnly)
      throw new HorariumError('precondition_failed', `${this.resource.name} ${before.id} exists already.`);
    assertVersion(this.resource, before, options.version);
    const save = { tables, actor, before, named, errors, hashes: options.hashes };
    const earlier = tables.warnings.length;
    const row = await this.#write(save, input);
    return asSaved(row, { created: !before, warnings: tables.warnings.slice(earlier) });
  }

  /**
   * Reads a record that the actor may update, and locks it until the caller's transaction ends.
   * @throws HorariumError `not_found` or `denied`.
   */
  async lockIn(tables: Tables, actor: Actor, id: number): Promise<R> {
    const row = await readVisible(tables, actor, this.resource, id, 'wait');
    await authorize(tables, actor, this.resource, row, row);
    return row;
  }

  /**
   * Deletes a record with its parts.
   * @throws HorariumError `not_found`, `denied`, `precondition_failed`, or `conflict` that names what still refers to
   * it or, in a cascade that would delete too many records, counts them.
   */
  async delete(actor: Actor, id: number, options: DeleteOptions = {}): Promise<void> {
    await this.#context.store.transaction(actor, (tables) => this.deleteIn(tables, actor, id, options));
  }

  /** Deletes like `delete`, in the caller's transaction. */
  async deleteIn(tables: Tables, actor: Actor, id: number, options: DeleteOptions = {}): Promise<void> {
    this.#checkOperation('delete');
    const { cascade = false, version } = options;
    const before = await readVisible(tables, actor, this.resource, id, 'wait');
    await authorize(tables, actor, this.resource, before, undefined);
    if (cascade && !isAdmin(actor))
      throw denied(
        `${actor.name} may not delete what refers to ${this.resource.name} ${id}: that takes the role admin.`,
      );
    assertVersion(this.resource, before, version);
    const { service, tables: descriptions } = this.#context;
    await deleteRecord({ tables, descriptions, cascade, service, actor }, this.resource, before);
  }

  #checkOperation(operation: 'save' | 'delete'): void {
    const { name, operations } = this.resource;
    if (!operations.includes(operation)) throw denied(`${name} records cannot be ${operation}d this way.`);
  }

  /** Denies an actor who can create no such record, whatever its fields, before the store is read. */
  #authorizeCreation(actor: Actor): void {
    const refusal = writeRefusalOf(actor, this.resource, ['create']);
    if (refusal) throw denied(refusal);
  }

  /** Locks the record with the natural key of the input. @throws HorariumError `denied` when the actor may not see it. */
  async #lockByKey(tables: Tables, actor: Actor, input: RowValues): Promise<R | undefined> {
    const { key, name, company } = this.resource;
    const existing = await this.#findByKey(tables, input, 'wait');
    if (!existing || (await this.#isVisible(tables, actor, existing))) return existing;
    // A key within a company that the actor may not see finds nothing, whether the record exists or not.
    if (company !== null && key.includes(company)) return undefined;
    throw denied(`${actor.name} may not save a ${name} with this ${key.join(' and ')}.`);
  }

  async #findByKey(tables: Tables, input: RowValues, lock?: 'wait'): Promise<R | undefined> {
    const where = whereNaturalKey(this.resource, input);
    if (!where) return undefined;
    const [existing] = await tables.of(this.resource).find({ where, limit: 1, ...(lock && { lock }) });
    return existing;
  }

  /** Whether the actor may see a record; costs no query for an actor who sees all. */
  async #isVisible(tables: Tables, actor: Actor, { id }: R): Promise<boolean> {
    if (visibleTo(actor, this.resource).length === 0) return true;
    return (await findVisible(tables, actor, this.resource, id)) !== undefined;
  }

  /** Reads and checks the input, and writes the row. */
  async #write(save: Save<R>, input: RowValues): Promise<R> {
    const { tables, actor, before, errors, hashes } = save;
    const { service } = this.#context;
    const set = readInput(this.resource, input, before, errors, service);
    restoreMasked(this.resource, set, before, errors);
    const after = { ...before, ...set } as R;
    await this.#checkReferences(save, set, after);
    await this.#authorizeInput(save, after);
    const isCleared = (field: keyof R & string) => input[field] === null;
    const context = { tables, service, actor, before, isCleared, errors };
    await this.resource.check?.(after, context);
    throwIfInvalid(this.resource.name, errors);
    const { row: encrypted, cipher, ...found } = await encryptRow(this.resource, after, { ...context, hashes });
    throwIfInvalid(this.resource.name, found.tooLarge);
    warnOfShortSecrets(tables, found.tooShort);
    const row = await this.#store(tables, before, encrypted, cipher);
    for (const react of this.resource.reactions) await react({ before, after: row }, tables, service);
    return row;
  }

  /** Checks the references of a row whose fields are right, and sets the company that they determine. */
  async #checkReferences({ tables, actor, before, named, errors }: Save<R>, set: Partial<R>, after: R): Promise<void> {
    if (errors.length > 0) return;
    const { findResource } = this.#context;
    const { company } = this.resource;
    const owned = { ...after };
    // A given company is compared with that of the reference first.
    const isGiven = company === null || after[company as keyof R] !== null;
    if (!isGiven) await setCompany(this.resource, findResource, owned, tables);
    const change = { before, set, after: owned, named };
    errors.push(...(await checkReferences(this.resource, findResource, change, tables, actor)));
    if (errors.length > 0) return;
    if (isGiven) await setCompany(this.resource, findResource, owned, tables);
    Object.assign(after, owned);
  }

  /**
   * Checks permissions before invalid fields are reported, except where an invalid field leaves unknown which company the
   * record belongs to.
   * @throws HorariumError `denied`, or `invalid` with the invalid fields.
   */
  async #authorizeInput({ tables, actor, before, errors }: Save<R>, after: R): Promise<void> {
    const { company, name } = this.resource;
    const isUnknown = errors.some(({ field }) => field === company) || companyOf(this.resource, after) === null;
    if (company !== null && company !== 'id' && isUnknown) throwIfInvalid(name, errors);
    await authorize(tables, actor, this.resource, before, after);
    throwIfInvalid(name, errors);
  }

  async #store(tables: Tables, before: R | undefined, after: R, cipher: RecordCipher): Promise<R> {
    const table = tables.of(this.resource);
    if (before) await table.update([{ row: before, set: changedFields(before, after) }]);
    const row = before
      ? asStored(this.resource, before, after, await tables.now())
      : await insertRecord(tables, this.resource, after);
    const cipherKey = cipher.cipherKeyFor(row.id);
    if (cipherKey === undefined) return row;
    const set = { cipher_key: cipherKey };
    await tables.of<AnyRow>(this.resource).update([{ row, set }]);
    return { ...row, ...set };
  }
}

/** Reads the id in a saved object; undefined when there is none. */
function readId(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'number' && Number.isSafeInteger(given) && given > 0) return given;
  throw new HorariumError('bad_request', 'id must be a positive whole number.');
}
