import type { AuditedStore, TransactionHooks } from '../audit/audited-store.ts';
import { asStored } from '../audit/audited-table.ts';
import { changedFields } from '../audit/diff.ts';
import { denied, type FieldError, HorariumError, notFound } from '../errors.ts';
import { creationRefusalOf, refusalOf, visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { checkReferences, companyOf, type ResourceFinder, resolveNames, setCompany } from '../resource/references.ts';
import { encryptSecrets, restoreMasked } from '../secret/encrypt-secrets.ts';
import type { RecordCipher } from '../secret/record-cipher.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { readInput, throwIfInvalid } from './input.ts';
import { type ListQuery, maxPageSize, readListQuery } from './list-query.ts';
import { whereNaturalKey } from './natural-key.ts';
import { removeRow } from './removal.ts';

export interface RecordsContext {
  readonly store: AuditedStore;
  readonly find: ResourceFinder;
  readonly service: RecordServices;
  /** Every table of the store, each after those it refers to. */
  readonly tables: readonly TableDescription[];
}

export interface SaveOptions {
  /** Update this one; without it the natural key decides between update and create. */
  readonly id?: number | undefined;
  /** Refuse to update: the record must be new. */
  readonly createOnly?: boolean;
  /** Refuse to update unless the record is still at this version. */
  readonly version?: number | undefined;
}

/** What came of a save. */
export interface Saved<R> {
  readonly row: R;
  readonly created: boolean;
}

export interface RemoveOptions extends Pick<SaveOptions, 'version'> {
  /** Delete the records that refer to it as well, and those that refer to them; only for actors who may do everything everywhere. */
  readonly cascade?: boolean | undefined;
}

export interface Page<R> {
  readonly rows: R[];
  /** Give it as `after` to get the next page; null on the last one. */
  readonly next: string | null;
}

/** Create, read, update and delete for one kind of record, for every channel alike. */
export class Records<R extends AnyRow = AnyRow> {
  readonly resource: Resource<R>;
  readonly #context: RecordsContext;

  constructor(resource: Resource<R>, context: RecordsContext) {
    this.resource = resource;
    this.#context = context;
  }

  /** @throws HorariumError `bad_request` for a wrong parameter, `denied` when the actor may see none. */
  async list(actor: Actor, list: ListQuery<R> = {}): Promise<Page<R>> {
    const { query, cursor } = readListQuery(this.resource, list);
    const where = [...(query.where ?? []), ...this.#visible(actor)];
    const limit = query.limit as number;
    const columns = this.resource.columns.filter((column) => !column.detailOnly).map((column) => column.name);
    const rows = await this.#context.store.readOnce((tables) =>
      tables.of<AnyRow>(this.resource).find({ ...query, where, columns, limit: limit + 1 }),
    );
    const page = rows.slice(0, limit) as R[];
    const last = page.at(-1);
    return { rows: page, next: rows.length > limit && last ? cursor(last) : null };
  }

  /**
   * All rows of a list, however many: page by page, each read when the one before was taken, so that one page at a
   * time is in memory. What is written meanwhile may or may not be among them. A `limit` is the size of the pages.
   */
  async *pages(actor: Actor, { offset, ...list }: ListQuery<R> = {}): AsyncGenerator<R[], void> {
    const first: ListQuery<R> = offset === undefined ? list : { ...list, offset };
    for (let query: ListQuery<R> | null = { limit: maxPageSize, ...first }; query !== null; ) {
      const page: Page<R> = await this.list(actor, query);
      yield page.rows;
      query = page.next === null ? null : { limit: maxPageSize, ...list, after: page.next };
    }
  }

  /** Counts the rows of a whole list; counting stops at `max`. */
  async count(actor: Actor, list: ListQuery<R>, max: number): Promise<number> {
    const { after: _after, ...whole } = list;
    const { query } = readListQuery(this.resource, whole);
    const where = [...(query.where ?? []), ...this.#visible(actor)];
    return this.#context.store.readOnce((tables) => tables.of(this.resource).count(where, max));
  }

  /** @throws HorariumError `not_found`, also for what the actor may not see. */
  async get(actor: Actor, id: number): Promise<R> {
    const row = await this.#context.store.readOnce((tables) => this.#find(tables, actor, [['id', '=', id]]));
    if (!row) throw notFound(this.resource.name, id);
    return row;
  }

  /**
   * Creates a record or updates the one that `options.id`, `input.id` or the natural key names.
   * @throws HorariumError `invalid` with every wrong field, `denied`, `not_found`, `conflict`, `precondition_failed`.
   */
  async save(
    actor: Actor,
    input: unknown,
    options: SaveOptions = {},
    hooks?: TransactionHooks<Saved<R>>,
  ): Promise<Saved<R>> {
    return this.#context.store.transaction(actor, (tables) => this.saveIn(tables, actor, input, options), hooks);
  }

  /** Like save, inside a transaction of the caller's. */
  async saveIn(tables: Tables, actor: Actor, given: unknown, options: SaveOptions): Promise<Saved<R>> {
    this.#mustOffer('save');
    const { id: bodyId, ...fields } = (given ?? {}) as Record<string, unknown>;
    const id = options.id ?? parseId(bodyId);
    if (id === undefined) this.#mayCreate(actor);
    const errors: FieldError[] = [];
    const { input, named } = await resolveNames(this.resource, this.#context.find, fields, tables, errors);
    const existing = id === undefined ? this.#byKey(tables, actor, input) : this.#byId(tables, actor, id);
    const [before] = await Promise.all([existing, tables.now()]); // everything written has the time in it
    if (before && options.createOnly)
      throw new HorariumError('precondition_failed', `${this.resource.name} ${before.id} exists already.`);
    this.#refuseOther(options.version, before);
    return { row: await this.#write(tables, actor, input, before, named, errors), created: !before };
  }

  /**
   * Deletes a record with what is part of it.
   * @throws HorariumError `not_found`, `denied`, `precondition_failed`, or `conflict` that names what still refers to
   * it or, in a cascade, counts what would be deleted where that is too much.
   */
  async remove(actor: Actor, id: number, options: RemoveOptions = {}): Promise<void> {
    await this.#context.store.transaction(actor, (tables) => this.removeIn(tables, actor, id, options));
  }

  /** Like remove, inside a transaction of the caller's. */
  async removeIn(tables: Tables, actor: Actor, id: number, options: RemoveOptions = {}): Promise<void> {
    this.#mustOffer('delete');
    const { service, tables: all } = this.#context;
    const { cascade = false, version } = options;
    const before = await this.#byId(tables, actor, id);
    await this.#permit(tables, actor, before, undefined);
    if (cascade && !isAdmin(actor))
      throw denied(
        `${actor.name} may not delete what refers to ${this.resource.name} ${id}: that takes the role admin.`,
      );
    this.#refuseOther(version, before);
    await removeRow({ tables, all, cascade, service, actor }, this.resource, before);
  }

  #refuseOther(version: number | undefined, before: R | undefined): void {
    if (version === undefined || version === before?.['revision']) return;
    const { name } = this.resource;
    const message = before ? `${name} ${before.id} was changed meanwhile.` : `There is no such ${name} yet.`;
    throw new HorariumError('precondition_failed', message);
  }

  #mustOffer(operation: 'save' | 'delete'): void {
    const { name, operations } = this.resource;
    if (!operations.includes(operation)) throw denied(`${name} records cannot be ${operation}d this way.`);
  }

  async #write(
    tables: Tables,
    actor: Actor,
    input: Readonly<Record<string, unknown>>,
    before: R | undefined,
    named: ReadonlySet<string>,
    errors: FieldError[],
  ): Promise<R> {
    const { find, service } = this.#context;
    const wrong: FieldError[] = [];
    const set = readInput(this.resource, input, before, wrong, service);
    errors.push(...wrong.filter(({ field }) => !named.has(field)));
    restoreMasked(this.resource, set, before, errors);
    const after = { ...before, ...set } as R;
    const visible = (resource: AnyResource) => visibleTo(actor, resource);
    if (errors.length === 0) {
      const same = Object.keys(set).filter((name) => before && set[name] === before[name]);
      const known = new Set([...named, ...same]);
      errors.push(...(await checkReferences(this.resource, find, after, set, tables, visible, known)));
      if (errors.length === 0) await setCompany(this.resource, find, after, tables);
    }
    await this.#permitInput(tables, actor, before, after, errors);
    const refuse = (field: string, message: string) => errors.push({ field, message });
    const isCleared = (field: keyof R & string) => input[field] === null;
    const context = { tables, service, before, isCleared, refuse };
    if (errors.length === 0) await this.resource.check?.(after, context);
    throwIfInvalid(this.resource.name, errors);
    const { row: encrypted, cipher } = await encryptSecrets(this.resource, after, context);
    const row = await this.#put(tables, before, encrypted, cipher);
    for (const react of this.resource.reactions) await react({ before, after: row }, tables, service);
    return row;
  }

  async #put(tables: Tables, before: R | undefined, after: R, cipher: RecordCipher): Promise<R> {
    const table = tables.of(this.resource);
    const id = before?.id ?? ((await table.insert([after]))[0] as number);
    if (before) await table.update([{ row: before, set: changedFields(before, after) }]);
    const row = asStored(this.resource, before, { ...after, id }, await tables.now());
    const cipherKey = cipher.cipherKeyFor(id);
    if (cipherKey === undefined) return row;
    const set = { cipher_key: cipherKey };
    await tables.of<AnyRow>(this.resource).update([{ row, set }]);
    return { ...row, ...set };
  }

  /** Denies before anything is looked up those who could create no such record, whatever its fields. */
  #mayCreate(actor: Actor): void {
    const refusal = creationRefusalOf(actor, this.resource);
    if (refusal) throw denied(refusal);
  }

  /** Rights come before wrong fields, unless it is a wrong field that leaves open whose record this is. */
  async #permitInput(tables: Tables, actor: Actor, before: R | undefined, after: R, errors: readonly FieldError[]) {
    const { company, name } = this.resource;
    const unknown = errors.some(({ field }) => field === company) || companyOf(this.resource, { ...after }) === null;
    if (company !== null && company !== 'id' && unknown) throwIfInvalid(name, errors);
    await this.#permit(tables, actor, before, after);
  }

  /** Held until the transaction ends, so that of several who change it each builds on what the others wrote. */
  async #byId(tables: Tables, actor: Actor, id: number): Promise<R> {
    const row = await this.#find(tables, actor, [['id', '=', id]], 'wait');
    if (!row) throw notFound(this.resource.name, id);
    return row;
  }

  /** The record that has the natural key of the input. @throws HorariumError `denied` when it may not be seen. */
  async #byKey(tables: Tables, actor: Actor, input: Readonly<Record<string, unknown>>): Promise<R | undefined> {
    const { key, name, company } = this.resource;
    const where = whereNaturalKey(this.resource, input);
    const [held] = where ? await tables.of(this.resource).find({ where, limit: 1, lock: 'wait' }) : [];
    const seesAll = this.#visible(actor).length === 0;
    const seen = !held || seesAll ? held : await this.#find(tables, actor, [['id', '=', held.id]]);
    // In a company that may not be seen there is nothing to be found, whatever the rest of the key.
    if (!held || seen || (company !== null && key.includes(company))) return seen;
    throw denied(`${actor.name} may not save a ${name} with this ${key.join(' and ')}.`);
  }

  async #find(tables: Tables, actor: Actor, where: Where<R>, lock?: 'wait'): Promise<R | undefined> {
    const visible = this.#visible(actor);
    const query = { where: [...where, ...visible], limit: 1, ...(lock && { lock }) };
    return (await tables.of(this.resource).find(query))[0];
  }

  #visible(actor: Actor): Where<R> {
    return visibleTo(actor, this.resource);
  }

  async #permit(tables: Tables, actor: Actor, before: R | undefined, after: R | undefined): Promise<void> {
    const refusal = await refusalOf(actor, this.resource, before, after, tables);
    if (refusal) throw denied(refusal);
  }
}

function parseId(given: unknown): number | undefined {
  if (given === undefined || (Number.isSafeInteger(given) && (given as number) > 0)) return given as number | undefined;
  throw new HorariumError('bad_request', 'id must be a positive whole number.');
}
