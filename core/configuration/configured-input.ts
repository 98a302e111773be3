import type { FieldError } from '../errors.ts';
import { isPlainObject, pathText, type ValuePath, valueAt } from '../field/value-path.ts';
import { didYouMean } from '../registry/did-you-mean.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { containsCiphertext, containsMask, isCiphertext, mask } from '../secret/ciphertext.ts';
import type { AnyRow, RowValues } from '../store/table.ts';
import { companyColumn, configuredColumns } from './configured-fields.ts';
import type { RecordNames } from './record-names.ts';

/** How many records of one name a message lists, and with how many a name that no record has is compared. */
const maxListed = 10;
const maxCompared = 1000;

/** The fields of a file with ids in place of names. */
export interface ResolvedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The company of the record; undefined = it is not known. */
  readonly company: number | null | undefined;
  /** Ids of records that the actor may not see, by field: the record must refer to them already. */
  readonly unseen: readonly (readonly [field: string, id: number])[];
}

/**
 * Puts ids in place of the names of other records. A name that means none or several adds an error, as does the id of a record that
 * has a name of its own: in another store it would be that of any record.
 */
export function resolveReferences(
  resource: AnyResource,
  desired: Readonly<Record<string, unknown>>,
  names: RecordNames,
  findResource: (name: string) => AnyResource,
  errors: FieldError[],
): ResolvedFields {
  const fields: Record<string, unknown> = { ...desired };
  const column = companyColumn(resource);
  let company: number | null | undefined = resource.company === null ? null : undefined;
  const unseen: [string, number][] = [];
  // The company comes first, because the others are looked for in it.
  for (const { name, references } of configuredColumns(resource)) {
    const value = desired[name];
    if (references === undefined || value === undefined || value === null) {
      if (name === column) company = (desired[resource.companyFrom ?? ''] ?? null) === null ? null : undefined;
      continue;
    }
    const idOf = (each: unknown, path: ValuePath) => {
      const near = column === undefined ? undefined : company;
      if (typeof each === 'number') {
        if (!names.get(references, each)) unseen.push([name, each]);
        const text = names.nameOf(references, each, near);
        if (typeof text === 'string')
          errors.push({
            field: pathText(path),
            message: `${pathText(path)}: ${each} is an id; write “${text}” if that is meant`,
          });
        return each;
      }
      if (typeof each !== 'string') return each;
      const ids = names.resolve(references, each, near);
      if (ids.length === 1) return ids[0];
      errors.push({
        field: pathText(path),
        message: `${pathText(path)}: ${problemOf(findResource(references), each, ids, names)}`,
      });
      return null;
    };
    fields[name] = Array.isArray(value) ? value.map((each, index) => idOf(each, [name, index])) : idOf(value, [name]);
    if (name === column) company = fields[name] as number | null;
  }
  const owner = resource.companyFrom === undefined ? undefined : fields[resource.companyFrom];
  if (typeof owner === 'number' && (company ?? null) === null) {
    const { references } = resource.columns.find(({ name }) => name === resource.companyFrom) ?? {};
    company = names.get(references as string, owner)?.company;
  }
  return { fields, company, unseen };
}

function problemOf(target: AnyResource, text: string, ids: readonly number[], names: RecordNames): string {
  const { noun, many } = nounsOf(target);
  if (ids.length > maxListed) return `many ${many} are called “${text}”; give the id of one`;
  if (ids.length > 1) return `${ids.length} ${many} are called “${text}”; give the id, one of ${ids.join(', ')}`;
  const known = names.of(target).slice(0, maxCompared);
  const hint = didYouMean(text, [...new Set(known.flatMap((each) => each.names.map(([, name]) => name)))]);
  return `there is no ${noun} “${text}”${hint && `.${hint.replace(/\?$/, '')}?`}`;
}

/** What a save takes for a record of a file. */
export interface SaveInput {
  readonly input: Record<string, unknown>;
  /** The paths of the secrets that neither the file nor the store has. */
  readonly missing: readonly string[];
}

/**
 * Returns what makes a record as its file says: what the file leaves out gets its default, but for names, fields that hold
 * secrets, what is required and what cannot be changed. A masked value stays as it is stored.
 */
export function saveInputOf(
  resource: AnyResource,
  fields: Readonly<Record<string, unknown>>,
  before: AnyRow | undefined,
): SaveInput {
  const missing: string[] = [];
  const values = Object.entries(fields)
    .filter(([, value]) => value !== null || before !== undefined)
    .map(([name, value]) => [name, containsMask(value) ? withStored(value, [name], before, missing) : value] as const);
  const input: Record<string, unknown> = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  if (before === undefined) return { input, missing };
  const kept = namingFieldsOf(resource);
  for (const { name, immutable, required } of configuredColumns(resource))
    if (!(name in fields || immutable || required || kept.includes(name) || containsCiphertext(before[name])))
      input[name] = null;
  return { input, missing };
}

/** Replaces the masks in a value for which no secret is stored; undefined where nothing is stored. */
function withStored(value: unknown, path: ValuePath, before: RowValues | undefined, missing: string[]): unknown {
  if (value === mask) {
    const stored = valueAt(before, path) ?? undefined;
    if (stored === undefined) missing.push(pathText(path));
    return isCiphertext(stored) ? mask : stored;
  }
  if (Array.isArray(value))
    return value
      .map((item, index) => withStored(item, [...path, index], before, missing))
      .filter((item) => item !== undefined);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, withStored(item, [...path, key], before, missing)] as const,
  );
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
