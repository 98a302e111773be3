import { canonicalJson } from '../field/canonical-json.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { Pause } from '../pause/pause.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { serializeRow } from '../resource/serialize-row.ts';
import type { AnyRow } from '../store/table.ts';
import { CompanyUser } from '../user/company-user.ts';
import { Token } from '../user/token.ts';
import { User } from '../user/user.ts';
import { UserRoles } from '../user/user-roles.ts';
import type { RecordNames } from './record-names.ts';

/** One record of the configuration, as a file has it: references are names, and what is left out has its default. */
export interface ConfiguredRecord {
  /** The plural name of its kind: `runtemplates`. */
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where it stands, for messages: `acme.yaml:12`. @default its kind and its place among the records */
  readonly at?: string;
}

/** People and their rights belong to a service, not to what it runs, and a pause ends by itself. */
const notConfigured: readonly { readonly name: string }[] = [User, UserRoles, Token, CompanyUser, Pause];

/** The kinds of records that configure a service, each after those it refers to. */
export function configuredKinds(resources: readonly AnyResource[]): readonly AnyResource[] {
  return resources.filter(
    ({ name, operations }) => operations.includes('save') && !notConfigured.some((each) => each.name === name),
  );
}

/** The fields of a kind that files have: those that a save takes and that are no secret as a whole. Names come first. */
export function configuredColumns(resource: AnyResource): readonly FieldDescription[] {
  const columns = resource.columns.filter(
    ({ readOnly, hidden, secret, kind }) => !readOnly && !hidden && !secret && kind !== 'binary',
  );
  const first = [companyColumn(resource), ...namingFieldsOf(resource)];
  return [
    ...first.flatMap((name) => columns.filter((column) => column.name === name)),
    ...columns.filter(({ name }) => !first.includes(name)),
  ];
}

/** The field of a kind that says which company a record belongs to; undefined where callers do not set it. */
export function companyColumn({ company, columns }: AnyResource): string | undefined {
  return columns.find(({ name, hidden }) => name === company && name !== 'id' && !hidden)?.name;
}

/** Writes a row as files have it: without what has its default, secrets masked. */
export function configuredFields(resource: AnyResource, row: AnyRow, names: RecordNames): Record<string, unknown> {
  const shown = serializeRow(resource, row);
  const column = companyColumn(resource);
  const company = column === undefined ? undefined : (row[column] as number | null);
  const fields: Record<string, unknown> = {};
  for (const { name, references, default: defaultValue, defaultVaries } of configuredColumns(resource)) {
    const value = shown[name];
    if (value === null || value === undefined) continue;
    if (!defaultVaries && canonicalJson(value) === canonicalJson(defaultValue)) continue;
    const nameOf = (id: unknown) => names.nameOf(references as string, id as number, company);
    if (references === undefined) fields[name] = value;
    else fields[name] = Array.isArray(value) ? value.map(nameOf) : nameOf(value);
  }
  return fields;
}
