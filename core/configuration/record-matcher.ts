import { conflict, type FieldError, HorariumError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import { type Field, metaOf } from '../field/field-meta.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readInput } from '../records/input.ts';
import type { RecordsContext } from '../records/records.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { batches, readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { configuredFields } from './configured-fields.ts';
import type { ResolvedFields } from './configured-input.ts';
import type { RecordName, RecordNames } from './record-names.ts';

/** How many records that have no name of their own are read at once. */
const contentBatch = 100;
/** How many ids a message lists. */
const maxListed = 10;

export interface ApplicationContext {
  readonly context: RecordsContext;
  readonly tables: Tables;
  readonly actor: Actor;
  readonly names: RecordNames;
}

type DesiredFields = Pick<ResolvedFields, 'fields' | 'company'>;

/** The place of the desired record that each stored one is, by kind and id. */
type Claims = ReadonlyMap<string, ReadonlyMap<number, string>>;

/**
 * Finds the stored record of each desired one: by UUID, code or name in their company, or by all that they have where they
 * have no name, or share it. Each stored record is that of one alone.
 */
export class RecordMatcher {
  readonly #context: ApplicationContext;
  #claims = new Map<string, Map<number, string>>();
  /** All that records have, as texts to compare, by kind and id. */
  readonly #contents = new Map<string, Map<number, string>>();

  constructor(context: ApplicationContext) {
    this.#context = context;
  }

  /** @throws HorariumError `conflict` where several records may be meant, or one that another desired record has claimed. */
  async find(resource: AnyResource, { fields, company }: DesiredFields): Promise<AnyRow | undefined> {
    const { names, tables } = this.#context;
    const scope = resource.company === 'id' || resource.company === null ? undefined : company;
    const { code } = fields;
    for (const field of searchOrder(resource)) {
      await yieldToEventLoop();
      const name = parsed(resource, field, fields[field]);
      if (typeof name !== 'string') continue;
      // A record that has another code is another one, though it has the same name.
      const isOther = (record: RecordName) =>
        field === 'name' && typeof code === 'string' && record.names.some(([each]) => each === 'code');
      const alike = names.named(resource.name, field, name, scope).filter((record) => !isOther(record));
      const free = alike.filter(({ id }) => !this.claimed(resource).has(id));
      const [first] = alike;
      if (first && free.length === 0 && isUnique(resource, field)) this.#refuseAgain(resource, first.id);
      if (free.length === 0) continue;
      const [only] = free;
      if (only && alike.length === 1) return (await readByIds(tables, resource, [only.id])).get(only.id);
      const found = await this.#findAlike(resource, { fields, company }, free);
      if (found) return found;
      const { many } = nounsOf(resource);
      const ids = alike.slice(0, maxListed).map(({ id }) => id);
      throw conflict(
        `${alike.length} ${many} have the ${field} “${name}” (${ids.join(', ')}), and none is as in the file: give each a name of its own first.`,
      );
    }
    if (namingFieldsOf(resource).some((field) => typeof fields[field] === 'string')) return undefined;
    const nameless = names
      .of(resource)
      .filter((record) => record.names.length === 0 && (scope === undefined || record.company === scope));
    return this.#findAlike(
      resource,
      { fields, company },
      nameless.filter(({ id }) => !this.claimed(resource).has(id)),
    );
  }

  /** Finds the record that a save of the fields would leave as it is. */
  async #findAlike(
    resource: AnyResource,
    { fields, company }: DesiredFields,
    alike: readonly RecordName[],
  ): Promise<AnyRow | undefined> {
    if (alike.length === 0) return undefined;
    const wanted = await this.#contentOf(resource, { fields, company });
    const contents = await this.#readContents(
      resource,
      alike.map(({ id }) => id),
    );
    const found = alike.find(({ id }) => contents.get(id) === wanted);
    return found && (await readByIds(this.#context.tables, resource, [found.id])).get(found.id);
  }

  /** What a new record with these fields would have; undefined where it could not be saved. */
  async #contentOf(resource: AnyResource, { fields, company }: DesiredFields): Promise<string | undefined> {
    const { context, tables, actor, names } = this.#context;
    const { service } = context;
    const errors: FieldError[] = [];
    const row = { id: 0, ...readInput(resource, fields, undefined, errors, service) } as AnyRow;
    // The company of a kind whose callers do not set it.
    const owned = resource.company === null || company === undefined ? row : { ...row, [resource.company]: company };
    const check = { tables, service, actor, before: undefined, isCleared: () => false, errors };
    try {
      if (errors.length === 0) await resource.check?.(owned, check);
    } catch (error) {
      if (error instanceof HorariumError) return undefined;
      throw error;
    }
    return errors.length > 0 ? undefined : canonicalJson(configuredFields(resource, owned, names));
  }

  /** Each is read once: there may be many records without a name. */
  async #readContents(resource: AnyResource, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
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

  /** @throws HorariumError `conflict` for a record that another has claimed. */
  claim(resource: AnyResource, id: number, at: string): void {
    if (this.claimed(resource).has(id)) this.#refuseAgain(resource, id);
    const claimed = this.#claims.get(resource.name) ?? new Map<number, string>();
    this.#claims.set(resource.name, claimed.set(id, at));
  }

  claimed({ name }: AnyResource): ReadonlyMap<number, string> {
    return this.#claims.get(name) ?? new Map();
  }

  /** Begins again. @returns what was claimed until then. */
  release(): Claims {
    const claims = this.#claims;
    this.#claims = new Map();
    return claims;
  }

  #refuseAgain(resource: AnyResource, id: number): never {
    throw conflict(`it is the same ${nounsOf(resource).noun} as that of ${this.claimed(resource).get(id)}.`);
  }
}

/** A UUID stays while codes and names change. */
function searchOrder(resource: AnyResource): readonly string[] {
  const naming = namingFieldsOf(resource);
  return [...naming.filter((field) => field === 'uuid'), ...naming.filter((field) => field !== 'uuid')];
}

/** Whether no two records of a company have the same value of a field. */
function isUnique({ key, columns }: AnyResource, field: string): boolean {
  return key.includes(field) || columns.some(({ name, unique }) => name === field && unique === true);
}

/** The value as it is stored; a value that is none of the field is left to the save, which refuses it. */
function parsed({ fields }: AnyResource, field: string, value: unknown): unknown {
  try {
    return metaOf(fields[field] as Field).parse?.(value) ?? value;
  } catch (error) {
    if (error instanceof Error) return value;
    throw error;
  }
}
