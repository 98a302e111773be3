import type { Changes } from '../audit/changes.ts';
import { diff } from '../audit/diff.ts';
import { badRequest, conflict, type FieldError, HorariumError, invalid } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import { isPlainObject } from '../field/value-path.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { assertDeletable } from '../records/deletion.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { hintAfter } from '../registry/did-you-mean.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { batches, readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { type ConfiguredRecord, configuredFields, configuredKinds } from './configured-fields.ts';
import { configuredInput, resolveReferences } from './configured-input.ts';
import { namedKinds } from './export.ts';
import { isOfTheStore, Problems } from './problems.ts';
import { type RecordName, RecordNames } from './record-names.ts';

/** How many records one call may be given. */
export const maxConfigured = 10_000;
/** How many of them one transaction may change: while it lasts, SQLite lets no other one write. */
export const maxConfiguredChanges = 2000;
/** How many records that have no name of their own are read at once. */
const contentBatch = 100;

export interface ApplyOptions {
  /** Whether records of the given kinds and companies that are not given are deleted. @default false */
  readonly prune?: boolean | undefined;
  /** The plural names of kinds that are given without records, which counts for `prune`. @default none */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * What becomes of a record. One that should be deleted while others need it is made inactive (`deactivate`), or stays as it
 * is (`keep`) if it cannot be inactive, as does one of which there is something to say.
 */
export type ConfigurationAction = 'create' | 'update' | 'delete' | 'deactivate' | 'keep';

/** A record that the configuration changes. */
export interface ConfigurationChange {
  readonly action: ConfigurationAction;
  /** The name of its resource: `RunTemplate`. */
  readonly kind: string;
  readonly id: number;
  /** What people call it: `run template acme/nightly`. */
  readonly name: string;
  /** `[before, after]` of each field that changes, with names in place of ids; those of a new record are what was given. */
  readonly changes: Changes;
  /** Why it is not deleted; null = it need not be. */
  readonly reason: string | null;
  /** The secrets that are masked in what was given, and have no value in this store: `values.PGPASSWORD`. */
  readonly missing: readonly string[];
  /** What the caller may not expect, in sentences. */
  readonly warnings: readonly string[];
}

export interface AppliedConfiguration {
  readonly changes: readonly ConfigurationChange[];
  /** How many records were as given. */
  readonly unchanged: number;
}

/**
 * Makes the records as given, in the caller's transaction. One is known by its company with its code, UUID or name, or by
 * all that it has where it has no name.
 * @throws HorariumError naming the place of every record that cannot be saved, or `bad_request` for too many.
 */
export async function applyConfiguration(
  context: RecordsContext,
  tables: Tables,
  actor: Actor,
  resources: readonly AnyResource[],
  records: readonly ConfiguredRecord[],
  { prune = false, kinds = [] }: ApplyOptions,
): Promise<AppliedConfiguration> {
  const configured = configuredKinds(resources);
  const byKind = groupByKind(configured, records, kinds);
  const names = await RecordNames.read(tables, actor, namedKinds(configured, context.findResource));
  const problems = new Problems();
  const application = new Application({ context, tables, actor, names }, problems);
  for (const [resource, group] of byKind)
    for (const each of group) {
      await yieldToEventLoop();
      await application.save(resource, each);
    }
  problems.throwAny();
  for (const resource of prune ? [...byKind.keys()].reverse() : []) {
    await yieldToEventLoop();
    await application.prune(resource);
  }
  problems.throwAny();
  return { changes: application.changes, unchanged: application.unchanged };
}

/** A given record with the place that messages name. */
interface Placed {
  readonly at: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Groups records by their kinds, in the order in which these can be saved. */
function groupByKind(
  configured: readonly AnyResource[],
  records: readonly ConfiguredRecord[],
  kinds: readonly string[],
): ReadonlyMap<AnyResource, readonly Placed[]> {
  if (records.length > maxConfigured)
    throw badRequest(`${records.length} records are too many at once: give at most ${maxConfigured}.`);
  const plurals = configured.map(({ names }) => names.plural);
  const unknown = [...kinds, ...records.map(({ kind }) => kind)].find((kind) => !plurals.includes(kind));
  if (unknown !== undefined) {
    const at = records.find(({ kind }) => kind === unknown)?.at;
    const hint = hintAfter(unknown, plurals) || `; there are ${plurals.join(', ')}`;
    throw badRequest(
      `${at === undefined ? '' : `${at}: `}${unknown} is no kind of the configuration${hint}.`.replace('?.', '?'),
    );
  }
  const groups = new Map<AnyResource, Placed[]>();
  for (const resource of configured) {
    const { plural } = resource.names;
    const given = records.filter(({ kind }) => kind === plural);
    if (given.length > 0 || kinds.includes(plural))
      groups.set(
        resource,
        given.map(({ fields, at }, index) => ({ fields, at: at ?? `${plural}[${index}]` })),
      );
  }
  return groups;
}

/** Ends the work on one record, because another that it needs could not be saved. */
class NeedsFailedRecord extends Error {}

interface ApplicationContext {
  readonly context: RecordsContext;
  readonly tables: Tables;
  readonly actor: Actor;
  readonly names: RecordNames;
}

/** One application of a configuration, in its transaction. */
class Application {
  readonly changes: ConfigurationChange[] = [];
  unchanged = 0;
  readonly #context: ApplicationContext;
  /** Where each record was given, by kind and id. */
  readonly #given = new Map<string, Map<number, string>>();
  /** What `#contentsOf` has read, by kind and id. */
  readonly #contents = new Map<string, Map<number, string>>();
  /** The companies of the records that were given. */
  readonly #companies = new Set<number | null>();
  /** The names of records that could not be saved: what refers to them fails for that reason alone. */
  readonly #failedNames = new Set<unknown>();
  readonly #problems: Problems;
  #touched = 0;

  constructor(context: ApplicationContext, problems: Problems) {
    this.#context = context;
    this.#problems = problems;
  }

  /** Creates or updates a record as it is given. */
  async save(resource: AnyResource, { at, fields }: Placed): Promise<void> {
    await this.#problems.collect(at, async () => {
      if (!isPlainObject(fields)) throw badRequest(`${nounsOf(resource).one} must be an object of fields.`);
      if ('id' in fields) throw badRequest('id is of one database only: give a code or a name in its place.');
      try {
        await this.#saveFields(resource, at, fields);
      } catch (error) {
        for (const field of namingFieldsOf(resource)) this.#failedNames.add(fields[field]);
        if (!(error instanceof NeedsFailedRecord)) throw error;
      }
    });
    this.#assertBound();
  }

  async #saveFields(resource: AnyResource, at: string, given: Placed['fields']): Promise<void> {
    const { context, tables, actor, names } = this.#context;
    const errors: FieldError[] = [];
    const { fields, company } = resolveReferences(resource, given, names, context.findResource, errors);
    if (errors.length > 0 && this.#refersToFailed(resource, given)) throw new NeedsFailedRecord();
    if (errors.length > 0) throw invalid(resource.name, errors);
    const before = await this.#find(resource, given, fields, company);
    if (before) this.#claim(resource, before.id, at);
    if (company !== undefined || before)
      this.#companies.add(before ? (names.get(resource.name, before.id)?.company ?? null) : (company ?? null));
    if (before && canonicalJson(configuredFields(resource, before, names)) === canonicalJson(given)) {
      this.unchanged += 1;
      return;
    }
    this.#touched += 1;
    const { input, missing } = configuredInput(resource, fields, before);
    const records = new Records(resource, context);
    const row = await records.saveIn(tables, actor, input, before ? { id: before.id } : { createOnly: true });
    if (!before) this.#claim(resource, row.id, at);
    names.put(resource, row);
    this.#companies.add(names.get(resource.name, row.id)?.company ?? null);
    const all = Object.entries(diff(resource, before, row));
    const changes = Object.fromEntries(before ? all : all.filter(([name]) => name in given));
    const { warnings } = row;
    const isChanged = !before || all.length > 0;
    if (!isChanged) this.unchanged += 1;
    const action = before ? (isChanged ? 'update' : 'keep') : 'create';
    if (isChanged || warnings.length > 0 || missing.length > 0)
      this.#add(resource, action, row.id, { changes, warnings, missing });
  }

  /** Finds the stored record that is meant by what is given. @throws HorariumError `conflict` where several may be. */
  async #find(
    resource: AnyResource,
    given: Placed['fields'],
    fields: Placed['fields'],
    company: number | null | undefined,
  ): Promise<AnyRow | undefined> {
    const { names } = this.#context;
    const naming = namingFieldsOf(resource);
    const scope = resource.company === 'id' || resource.company === null ? undefined : company;
    const lacks = (record: RecordName, field: string) => !record.names.some(([each]) => each === field);
    for (const [index, field] of naming.entries()) {
      const name = fields[field];
      if (typeof name !== 'string') continue;
      // A record that has another code is another one, though it has the same name.
      const exacter = naming.slice(0, index).filter((each) => typeof fields[each] === 'string');
      const alike = names
        .named(resource.name, field, name, scope)
        .filter((record) => exacter.every((each) => lacks(record, each)));
      if (alike.length > 0) return this.#choose(resource, given, alike, `${field} “${name}”`);
    }
    if (naming.some((field) => typeof fields[field] === 'string')) return undefined;
    const nameless = names.of(resource).filter((record) => record.names.length === 0);
    return this.#choose(
      resource,
      given,
      nameless.filter((record) => scope === undefined || record.company === scope),
    );
  }

  /** Chooses among records of one name the one that has all that is given. @param name null = they have none. */
  async #choose(
    resource: AnyResource,
    given: Placed['fields'],
    alike: readonly RecordName[],
    name?: string,
  ): Promise<AnyRow | undefined> {
    const { tables } = this.#context;
    const claimed = this.#claimed(resource);
    let id = name !== undefined && alike.length === 1 ? alike[0]?.id : undefined;
    if (id === undefined) {
      const free = alike.map((each) => each.id).filter((each) => !claimed.has(each));
      const contents = await this.#contentsOf(resource, free);
      const wanted = canonicalJson(given);
      id = free.find((each) => contents.get(each) === wanted);
    }
    if (id !== undefined) return (await readByIds(tables, resource, [id])).get(id);
    if (name === undefined) return undefined;
    const { many } = nounsOf(resource);
    throw conflict(
      `${alike.length} ${many} have the ${name} (${alike
        .slice(0, 10)
        .map(({ id }) => id)
        .join(', ')}), and none is as given: give each a name of its own first.`,
    );
  }

  /** All that records have, as texts to compare, by id. Each is read once: there may be many records without a name. */
  async #contentsOf(resource: AnyResource, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { tables, names } = this.#context;
    const contents = this.#contents.get(resource.name) ?? new Map<number, string>();
    this.#contents.set(resource.name, contents);
    for (const batch of batches(
      ids.filter((id) => !contents.has(id)),
      contentBatch,
    ))
      for (const row of (await readByIds(tables, resource, batch)).values()) {
        await yieldToEventLoop();
        contents.set(row.id, canonicalJson(configuredFields(resource, row, names)));
      }
    return contents;
  }

  /** @throws HorariumError `conflict` for a record that was given already. */
  #claim(resource: AnyResource, id: number, at: string): void {
    const claimed = this.#claimed(resource);
    const earlier = claimed.get(id);
    if (earlier !== undefined) throw conflict(`it is the same ${nounsOf(resource).noun} as that of ${earlier}.`);
    claimed.set(id, at);
  }

  #claimed({ name }: AnyResource): Map<number, string> {
    const claimed = this.#given.get(name) ?? new Map<number, string>();
    this.#given.set(name, claimed);
    return claimed;
  }

  /** Deletes the records of a kind that were not given, in the companies of those that were. Companies stay. */
  async prune(resource: AnyResource): Promise<void> {
    if (resource.company === 'id') return;
    const { names } = this.#context;
    const claimed = this.#claimed(resource);
    const isInScope = ({ company }: RecordName) => resource.company === null || this.#companies.has(company);
    for (const record of names
      .of(resource)
      .filter(({ id }) => !claimed.has(id))
      .filter(isInScope)) {
      await yieldToEventLoop();
      await this.#problems.collect(names.label(resource.name, record), () => this.#delete(resource, record));
      this.#assertBound();
    }
  }

  async #delete(resource: AnyResource, { id }: RecordName): Promise<void> {
    const { context, tables, actor, names } = this.#context;
    const { service, tables: descriptions } = context;
    this.#touched += 1;
    const row = (await readByIds(tables, resource, [id])).get(id);
    try {
      if (row) await assertDeletable({ tables, descriptions, cascade: false, service, actor }, resource, row);
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code !== 'conflict' || isOfTheStore(error)) throw error;
      await this.#deactivate(resource, id, error.message);
      return;
    }
    await new Records(resource, context).deleteIn(tables, actor, id);
    this.#add(resource, 'delete', id);
    names.remove(resource, id);
  }

  /** Makes a record inactive that cannot be deleted. @param reason why it cannot. */
  async #deactivate(resource: AnyResource, id: number, reason: string): Promise<void> {
    const { context, tables, actor } = this.#context;
    const flag = ['active', 'enabled'].find((name) => resource.columns.some((column) => column.name === name));
    const before = (await readByIds(tables, resource, [id])).get(id);
    if (flag === undefined || !before) {
      this.#add(resource, 'keep', id, { reason });
      return;
    }
    if (before[flag] === false) {
      this.unchanged += 1;
      return;
    }
    const row = await new Records(resource, context).saveIn(tables, actor, { [flag]: false }, { id });
    this.#add(resource, 'deactivate', id, { reason, changes: diff(resource, before, row), warnings: row.warnings });
  }

  #add(
    resource: AnyResource,
    action: ConfigurationAction,
    id: number,
    { changes = {}, reason = null, warnings = [], missing = [] }: Partial<ConfigurationChange> = {},
  ): void {
    const { names } = this.#context;
    const record = names.get(resource.name, id) ?? { id, company: null, names: [] };
    this.changes.push({
      action,
      kind: resource.name,
      id,
      name: names.label(resource.name, record),
      changes: withNames(resource, changes, record.company, names),
      reason,
      missing,
      warnings,
    });
  }

  #refersToFailed(resource: AnyResource, given: Placed['fields']): boolean {
    return resource.columns
      .filter(({ references }) => references !== undefined)
      .flatMap(({ name }) => [given[name]].flat())
      .some((name) => typeof name === 'string' && this.#isFailed(name));
  }

  #isFailed(name: string): boolean {
    return this.#failedNames.has(name) || this.#failedNames.has(name.slice(name.indexOf('/') + 1));
  }

  /** @throws HorariumError `bad_request` when the transaction would change too many records. */
  #assertBound(): void {
    if (this.#touched > maxConfiguredChanges)
      throw badRequest(
        `More than ${maxConfiguredChanges} records would be changed in one transaction: give them in parts, such as one company at a time.`,
      );
  }
}

/** Puts names in place of ids in changes of references. */
function withNames({ columns }: AnyResource, changes: Changes, company: number | null, names: RecordNames): Changes {
  const named = { ...changes };
  for (const { name, references } of columns) {
    const change = changes[name];
    if (references === undefined || !change) continue;
    const nameOf = (id: unknown) => (typeof id === 'number' ? names.nameOf(references, id, company) : id);
    const [before, after] = change.map((value) => (Array.isArray(value) ? value.map(nameOf) : nameOf(value)));
    named[name] = [before, after];
  }
  return named;
}
