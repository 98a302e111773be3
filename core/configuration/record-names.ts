import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { companyOf, visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { namingFieldsOf } from '../resource/references.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';

const companies = 'Company';
const pageSize = 1000;

/** A record with what it can be named by. */
export interface RecordName {
  readonly id: number;
  /** The company it belongs to; null = all companies share it. */
  readonly company: number | null;
  /** The names that it has, by field, the most exact one first. */
  readonly names: readonly (readonly [field: string, name: string])[];
}

interface KindOfNames {
  readonly resource: AnyResource;
  readonly byId: Map<number, RecordName>;
  readonly byName: Map<string, Set<RecordName>>;
}

/**
 * The names of the records that an actor may see. A record of a company is named by its code or name alone where the company
 * is known, and by `acme/nightly` elsewhere; `/nightly` is one that all companies share.
 */
export class RecordNames {
  readonly #kinds = new Map<string, KindOfNames>();

  constructor(resources: readonly AnyResource[]) {
    for (const resource of resources) this.#kinds.set(resource.name, { resource, byId: new Map(), byName: new Map() });
  }

  /** Reads the names of the records of some kinds. Companies must be among them. */
  static async read(tables: Tables, actor: Actor, resources: readonly AnyResource[]): Promise<RecordNames> {
    const names = new RecordNames(resources);
    for (const resource of resources) {
      const company = resource.company === null ? [] : [resource.company];
      const columns = [...new Set(['id', ...company, ...namingFieldsOf(resource)])];
      for (let last = 0, isFull = true; isFull; ) {
        const where = [['id', '>', last] as const, ...visibleTo<AnyRow>(actor, resource)];
        const rows = await tables
          .of<AnyRow>(resource)
          .find({ where, columns, order: [['id', 'asc']], limit: pageSize });
        for (const row of rows) {
          await yieldToEventLoop();
          names.put(resource, row as AnyRow);
        }
        isFull = rows.length === pageSize;
        last = (rows.at(-1) as AnyRow | undefined)?.id ?? last;
      }
    }
    return names;
  }

  /** Adds a record, or its present names. */
  put(resource: AnyResource, row: AnyRow): void {
    const { byId, byName } = this.#kindOf(resource.name);
    this.remove(resource, row.id);
    const fields = namingFieldsOf(resource).map((field) => [field, row[field]] as const);
    const names = fields.filter((each): each is readonly [string, string] => typeof each[1] === 'string');
    const record: RecordName = { id: row.id, company: companyOf(resource, row), names };
    byId.set(row.id, record);
    for (const name of names) {
      const key = keyOf(...name);
      byName.set(key, (byName.get(key) ?? new Set()).add(record));
    }
  }

  /** Removes a record that was deleted. */
  remove(resource: AnyResource, id: number): void {
    const { byId, byName } = this.#kindOf(resource.name);
    const record = byId.get(id);
    if (!record) return;
    byId.delete(id);
    for (const name of record.names) byName.get(keyOf(...name))?.delete(record);
  }

  /** The records of a kind. */
  of(resource: AnyResource): readonly RecordName[] {
    return [...this.#kindOf(resource.name).byId.values()];
  }

  get(kind: string, id: number): RecordName | undefined {
    return this.#kindOf(kind).byId.get(id);
  }

  /** The records of one company, or of those that all share, with that name. @param company undefined = of any. */
  named(kind: string, field: string, name: string, company: number | null | undefined): readonly RecordName[] {
    const found = [...(this.#kindOf(kind).byName.get(keyOf(field, name)) ?? [])];
    return company === undefined ? found : found.filter((record) => record.company === company);
  }

  /**
   * The ids of the records that a reference may mean: one, if it is right.
   * @param company of the record with the reference; undefined = it is not known.
   */
  resolve(kind: string, text: string, company: number | null | undefined): readonly number[] {
    if (!this.#isOfCompanies(kind)) return this.#match(kind, text, undefined);
    const slash = text.indexOf('/');
    const owner = slash < 0 ? undefined : this.#companyNamed(text.slice(0, slash));
    const qualified = owner === undefined ? [] : this.#match(kind, text.slice(slash + 1), owner);
    if (qualified.length > 0) return qualified;
    if (company === undefined) return this.#match(kind, text, undefined);
    const own = this.#match(kind, text, company);
    return own.length > 0 ? own : this.#match(kind, text, null);
  }

  /**
   * The shortest name that leads `resolve` to the record alone; its id where it has none, or is not known.
   * @param company of the record that refers to it.
   */
  nameOf(kind: string, id: number, company: number | null | undefined): string | number {
    const record = this.get(kind, id);
    if (!record) return id;
    const isNear = company !== undefined && (record.company === company || record.company === null);
    for (const [, name] of record.names) {
      const texts = this.#isOfCompanies(kind) ? [...(isNear ? [name] : []), `${this.#codeOf(record)}/${name}`] : [name];
      for (const text of texts) {
        const [first, ...others] = this.resolve(kind, text, company);
        if (first === id && others.length === 0) return text;
      }
    }
    return id;
  }

  /** How messages call a record: `run template acme/nightly`. @param record only its names and company count. */
  label(kind: string, { company, names, id }: Omit<RecordName, 'id'> & { readonly id?: number }): string {
    const { noun } = nounsOf(this.#kindOf(kind).resource);
    const name = names[0]?.[1] ?? (id === undefined ? 'without a name' : String(id));
    const isOwned = this.#isOfCompanies(kind) && company !== null;
    return `${noun} ${isOwned ? `${this.#codeOf({ company })}/` : ''}${name}`;
  }

  #match(kind: string, name: string, company: number | null | undefined): readonly number[] {
    for (const field of namingFieldsOf(this.#kindOf(kind).resource)) {
      const found = this.named(kind, field, name, company);
      if (found.length > 0) return found.map(({ id }) => id);
    }
    return [];
  }

  /** The id of the company with this code, null for the empty one; undefined = there is none. */
  #companyNamed(code: string): number | null | undefined {
    return code === '' ? null : this.named(companies, 'code', code, undefined)[0]?.id;
  }

  #codeOf({ company }: Pick<RecordName, 'company'>): string {
    if (company === null) return '';
    return this.get(companies, company)?.names[0]?.[1] ?? String(company);
  }

  #isOfCompanies(kind: string): boolean {
    const { company } = this.#kindOf(kind).resource;
    return company !== null && company !== 'id';
  }

  #kindOf(kind: string): KindOfNames {
    const found = this.#kinds.get(kind);
    if (!found) throw new Error(`The names of ${kind} records were not read.`);
    return found;
  }
}

function keyOf(field: string, name: string): string {
  return `${field}\n${name}`;
}
