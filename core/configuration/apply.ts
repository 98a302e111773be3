import type { Changes } from '../audit/changes.ts';
import { diff } from '../audit/diff.ts';
import { badRequest, type FieldError, HorariumError, invalid } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import { isPlainObject, pathText, type ValuePath, valueAt } from '../field/value-path.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { assertDeletable } from '../records/deletion.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { hintAfter } from '../registry/did-you-mean.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { type ConfiguredRecord, configuredFields, configuredKinds } from './configured-fields.ts';
import { resolveReferences, saveInputOf } from './configured-input.ts';
import { namedKinds } from './export.ts';
import { isOfTheStore, Problems } from './problems.ts';
import { type ApplicationContext, RecordMatcher } from './record-matcher.ts';
import { type RecordName, RecordNames } from './record-names.ts';

/** How many records one configuration may have. */
export const maxAppliedRecords = 10_000;
/** How many of them one transaction may change: while it lasts, SQLite lets no other one write. */
export const maxAppliedChanges = 2000;

export interface ApplyOptions {
  /** Whether records that the configuration lacks are deleted, of the kinds and companies that it has. @default false */
  readonly prune?: boolean | undefined;
  /** The plural names of kinds that it lists without records, which counts for `prune`. @default none */
  readonly kinds?: readonly string[] | undefined;
  /** Is called after each record that was saved or found as desired. */
  onProgress?(done: number, total: number): void;
}

/**
 * What becomes of a record. One that should be deleted while others need it is made inactive (`deactivate`), or stays as it
 * is (`keep`) if it cannot be inactive, as does one that has only warnings.
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
  /** `[before, after]` of each field that changes, with names in place of ids; those of a new record are what it has in the configuration. */
  readonly changes: Changes;
  /** Why it is not deleted; null = it need not be. */
  readonly reason: string | null;
  /** The secrets that get another value: `values.PGPASSWORD`. */
  readonly secrets: readonly string[];
  /** The secrets that are masked in the configuration, and have no value in this store: `values.PGPASSWORD`. */
  readonly missing: readonly string[];
  /** What the caller may not expect, in sentences. */
  readonly warnings: readonly string[];
}

export interface AppliedConfiguration {
  readonly changes: readonly ConfigurationChange[];
  /** How many records were as desired already. */
  readonly unchanged: number;
}

/**
 * Makes the records as desired, in the caller's transaction. One is known by its company with its code, UUID or name, or by
 * all that it has where it has no name.
 * @throws HorariumError naming the place of every record that cannot be saved, or `bad_request` for too many.
 */
export async function applyConfiguration(
  context: RecordsContext,
  tables: Tables,
  actor: Actor,
  resources: readonly AnyResource[],
  records: readonly ConfiguredRecord[],
  { prune = false, kinds = [], onProgress }: ApplyOptions,
): Promise<AppliedConfiguration> {
  const configured = configuredKinds(resources);
  const byKind = groupByKind(configured, records, kinds);
  // Two at once would create what both do not find.
  if (!(await tables.tryLock('configuration')))
    throw new HorariumError('unavailable', 'Another configuration is being applied: try again when that has ended.');
  const names = await RecordNames.read(tables, actor, namedKinds([...byKind.keys()], context.findResource));
  const problems = new Problems();
  const application = new Application({ context, tables, actor, names }, problems);
  if (prune) await application.pruneBefore(byKind);
  let done = 0;
  for (const [resource, group] of byKind)
    for (const each of group) {
      await yieldToEventLoop();
      await application.save(resource, each);
      done += 1;
      onProgress?.(done, records.length);
    }
  problems.throwAny();
  if (prune) await application.pruneAfter(byKind);
  problems.throwAny();
  return { changes: application.changes, unchanged: application.unchanged };
}

/** A desired record, with its place for messages. */
interface Placed {
  readonly at: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The desired records by their kinds, in the order in which these can be saved. */
type DesiredKinds = ReadonlyMap<AnyResource, readonly Placed[]>;

/** Groups records by their kinds, in the order in which these can be saved. */
function groupByKind(
  configured: readonly AnyResource[],
  records: readonly ConfiguredRecord[],
  kinds: readonly string[],
): DesiredKinds {
  if (records.length > maxAppliedRecords)
    throw badRequest(`${records.length} records are too many at once: give at most ${maxAppliedRecords}.`);
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
    const desired = records.filter(({ kind }) => kind === plural);
    if (desired.length > 0 || kinds.includes(plural))
      groups.set(
        resource,
        desired.map(({ fields, at }, index) => ({ fields, at: at ?? `${plural}[${index}]` })),
      );
  }
  return groups;
}

/** Ends the work on one record, because another that it needs could not be saved. */
class NeedsFailedRecord extends Error {}

/** One application of a configuration, in its transaction. */
class Application {
  readonly changes: ConfigurationChange[] = [];
  unchanged = 0;
  readonly #context: ApplicationContext;
  readonly #matcher: RecordMatcher;
  /** The companies of the desired records. */
  readonly #companies = new Set<number>();
  /** The kinds that have companies, where a record that all companies share is desired. */
  readonly #sharedKinds = new Set<string>();
  /** The names of records that could not be saved: what refers to them fails for that reason alone. */
  readonly #failedNames = new Set<unknown>();
  readonly #problems: Problems;
  #touched = 0;

  constructor(context: ApplicationContext, problems: Problems) {
    this.#context = context;
    this.#matcher = new RecordMatcher(context);
    this.#problems = problems;
  }

  /** Creates or updates a record as it is desired. */
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

  async #saveFields(resource: AnyResource, at: string, desired: Placed['fields']): Promise<void> {
    const { context, tables, actor, names } = this.#context;
    const errors: FieldError[] = [];
    const resolved = resolveReferences(resource, desired, names, context.findResource, errors);
    if (errors.length > 0 && this.#refersToFailed(resource, desired)) throw new NeedsFailedRecord();
    if (errors.length > 0) throw invalid(resource.name, errors);
    const { fields, company, unseen } = resolved;
    const before = await this.#matcher.find(resource, resolved);
    for (const [field, id] of unseen)
      if (![before?.[field]].flat().includes(id))
        errors.push({ field, message: `there is no record with the id ${id}` });
    if (errors.length > 0) throw invalid(resource.name, errors);
    if (before) this.#matcher.claim(resource, before.id, at);
    this.#noteScope(resource, before ? names.get(resource.name, before.id)?.company : company);
    if (before && canonicalJson(configuredFields(resource, before, names)) === canonicalJson(desired)) {
      this.unchanged += 1;
      return;
    }
    this.#touched += 1;
    const { input, missing } = saveInputOf(resource, fields, before);
    const records = new Records(resource, context);
    const row = await records.saveIn(tables, actor, input, before ? { id: before.id } : { createOnly: true });
    if (!before) this.#matcher.claim(resource, row.id, at);
    names.put(resource, row);
    this.#noteScope(resource, names.get(resource.name, row.id)?.company);
    const all = Object.entries(diff(resource, before, row));
    const changes = Object.fromEntries(before ? all : all.filter(([name]) => name in desired));
    const { warnings } = row;
    const isChanged = !before || all.length > 0;
    if (!isChanged) this.unchanged += 1;
    const action = before ? (isChanged ? 'update' : 'keep') : 'create';
    if (isChanged || warnings.length > 0 || missing.length > 0)
      this.#add(resource, action, row.id, {
        changes,
        secrets: changedSecrets(resource, before, row),
        warnings,
        missing,
      });
  }

  /** Notes that records of a kind and a company are desired. @param company undefined = it is not known. */
  #noteScope(resource: AnyResource, company: number | null | undefined): void {
    if (resource.company === null || company === undefined) return;
    if (company === null) this.#sharedKinds.add(resource.name);
    else this.#companies.add(company);
  }

  /**
   * Deletes first what nothing refers to, of the kinds whose records that stay are known: what is desired may need its
   * place, within a limit or in a chain.
   */
  async pruneBefore(byKind: DesiredKinds): Promise<void> {
    const { context, names } = this.#context;
    const certain = new Set(byKind.keys());
    for (const [resource, group] of byKind)
      for (const { at, fields } of group) {
        await yieldToEventLoop();
        const errors: FieldError[] = [];
        try {
          const resolved = resolveReferences(resource, fields, names, context.findResource, errors);
          this.#noteScope(resource, resolved.company);
          const before = errors.length > 0 ? undefined : await this.#matcher.find(resource, resolved);
          if (before) this.#matcher.claim(resource, before.id, at);
        } catch (error) {
          if (!(error instanceof HorariumError) || isOfTheStore(error)) throw error;
          certain.delete(resource);
        }
        if (errors.length > 0) certain.delete(resource);
      }
    const claims = this.#matcher.release();
    for (const resource of [...byKind.keys()].reverse()) {
      await yieldToEventLoop();
      if (certain.has(resource)) await this.#prune(resource, claims.get(resource.name), false);
    }
  }

  /** Deletes what is not desired, or makes it inactive. */
  async pruneAfter(byKind: DesiredKinds): Promise<void> {
    for (const resource of [...byKind.keys()].reverse()) {
      await yieldToEventLoop();
      await this.#prune(resource, this.#matcher.claimed(resource), true);
    }
  }

  /**
   * Deletes the records of a kind that are not desired, in the companies of those that are. Companies stay.
   * @param mustEnd whether those that cannot be deleted are made inactive.
   */
  async #prune(resource: AnyResource, kept: ReadonlyMap<number, string> = new Map(), mustEnd: boolean): Promise<void> {
    if (resource.company === 'id') return;
    const { names } = this.#context;
    const isInScope = ({ company }: RecordName) =>
      resource.company === null ||
      (company === null ? this.#sharedKinds.has(resource.name) : this.#companies.has(company));
    for (const record of names.of(resource).filter(({ id }) => !kept.has(id))) {
      await yieldToEventLoop();
      if (!isInScope(record)) continue;
      await this.#problems.collect(names.label(resource.name, record), () =>
        this.#delete(resource, record.id, mustEnd),
      );
      this.#assertBound();
    }
  }

  async #delete(resource: AnyResource, id: number, mustEnd: boolean): Promise<void> {
    const { context, tables, actor, names } = this.#context;
    const { service, tables: descriptions } = context;
    const row = (await readByIds(tables, resource, [id])).get(id);
    try {
      if (row) await assertDeletable({ tables, descriptions, cascade: false, service, actor }, resource, row);
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code !== 'conflict' || isOfTheStore(error)) throw error;
      if (mustEnd) await this.#deactivate(resource, id, error.message);
      return;
    }
    this.#touched += 1;
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
    this.#touched += 1;
    const row = await new Records(resource, context).saveIn(tables, actor, { [flag]: false }, { id });
    this.#add(resource, 'deactivate', id, { reason, changes: diff(resource, before, row), warnings: row.warnings });
  }

  #add(
    resource: AnyResource,
    action: ConfigurationAction,
    id: number,
    { changes = {}, reason = null, secrets = [], warnings = [], missing = [] }: Partial<ConfigurationChange> = {},
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
      secrets,
      missing,
      warnings,
    });
  }

  #refersToFailed(resource: AnyResource, desired: Placed['fields']): boolean {
    return resource.columns
      .filter(({ references }) => references !== undefined)
      .flatMap(({ name }) => [desired[name]].flat())
      .some((name) => typeof name === 'string' && this.#isFailed(name));
  }

  #isFailed(name: string): boolean {
    return this.#failedNames.has(name) || this.#failedNames.has(name.slice(name.indexOf('/') + 1));
  }

  /** @throws HorariumError `bad_request` when the transaction would change too many records. */
  #assertBound(): void {
    if (this.#touched > maxAppliedChanges)
      throw badRequest(
        `More than ${maxAppliedChanges} records would be changed in one transaction: give them in parts, such as one company at a time.`,
      );
  }
}

/** Lists the places of secrets of a row that is updated which have another value than before. */
function changedSecrets({ columns }: AnyResource, before: AnyRow | undefined, after: AnyRow): string[] {
  if (before === undefined) return [];
  const shown = columns.filter(({ hidden }) => !hidden);
  return shown.flatMap(({ name }) => secretPathsIn(after[name], [name], before));
}

function secretPathsIn(value: unknown, path: ValuePath, before: AnyRow): string[] {
  if (isCiphertext(value)) return value === valueAt(before, path) ? [] : [pathText(path)];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPathsIn(item, [...path, index], before));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretPathsIn(item, [...path, key], before));
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
