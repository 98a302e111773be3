import type { FieldError } from '../errors.ts';
import type { FieldDescription } from '../field/field-description.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { RowValues } from '../store/table.ts';
import { companyOf, visibleTo } from './access.ts';
import type { Actor } from './actor.ts';
import type { AnyResource } from './define-resource.ts';

/** The maximum characters of a name in place of an id; no record has a longer one. */
export const maxReferenceName = 255;

/** The fields that people name a record by, the most exact one first. */
const namingFields = ['code', 'uuid', 'login', 'name'];

/** Lists what a record of this kind can be named by in place of its id: `code` and `name`. */
export function namingFieldsOf({ columns }: Pick<AnyResource, 'columns'>): readonly string[] {
  return namingFields.filter((field) => columns.some(({ name }) => name === field));
}

/** Finds a resource by its name. */
export type ResourceFinder = (name: string) => AnyResource;

/**
 * Replaces the names that callers give instead of ids, such as `login` instead of `user_id`, by the ids.
 * @returns the input with ids alone, and as `named` the reference fields that were given by name.
 */
export async function resolveNames(
  resource: AnyResource,
  findResource: ResourceFinder,
  input: RowValues,
  tables: Tables,
  errors: FieldError[],
): Promise<{ readonly input: RowValues; readonly named: ReadonlySet<string> }> {
  const resolved: Record<string, unknown> = { ...input };
  const named = new Set<string>();
  for (const { name: field, references, namedBy } of resource.columns) {
    if (namedBy === undefined || !Object.hasOwn(input, namedBy)) continue;
    const name = input[namedBy];
    const isName = typeof name === 'string' && name.length <= maxReferenceName;
    const target = findResource(references as string);
    const where = [[namedBy, '=', name] as const];
    const [row] = isName ? await tables.of(target).find({ where, columns: ['id'] }) : [];
    delete resolved[namedBy];
    if (!row) errors.push({ field: namedBy, message: `there is no ${target.name} with this ${namedBy}` });
    else if (resolved[field] !== undefined && resolved[field] !== row.id)
      errors.push({ field: namedBy, message: `${namedBy} and ${field} are of two records` });
    else resolved[field] = row.id;
    named.add(field);
  }
  return { input: resolved, named };
}

/** The values that a save sets, and the row before and after it. */
export interface ReferenceChange {
  /** Undefined for a new record. */
  readonly before: RowValues | undefined;
  readonly set: RowValues;
  readonly after: RowValues;
  /** The reference fields that were given by name. */
  readonly named: ReadonlySet<string>;
}

/**
 * Checks the references that a save sets: each must be to a record of the same company or to one that all companies
 * share. A record of another company, or that the actor may not see, is reported like one that does not exist.
 */
export async function checkReferences(
  resource: AnyResource,
  findResource: ResourceFinder,
  { before, set, after, named }: ReferenceChange,
  tables: Tables,
  actor: Actor,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const company = companyOf(resource, after);
  for (const column of resource.columns) {
    const { name, kind, namedBy } = column;
    const ids = referredIds(column, set[name]);
    if (ids.length === 0 || column.readOnly) continue;
    const target = findResource(column.references as string);
    // The actor need not see a record that was given by name, or to which the reference was before.
    const isKnown = named.has(name) || (before !== undefined && set[name] === before[name]);
    // Everyone who may write a record may refer from it to records that all companies share.
    const isUnrestricted = target.company === null && (namedBy === undefined || isKnown);
    const where: Where = [['id', 'in', ids], ...(isUnrestricted ? [] : visibleTo(actor, target))];
    // The lock delays deletions of the listed records until this one is written: no database enforces ids in a list.
    const rows = await tables.of(target).find({ where, ...(kind === 'references' && { lock: 'wait' }) });
    const isShared = target.company === null || target.company === 'id' || resource.company === null;
    const found = new Set(
      rows.filter((row) => isShared || [company, null].includes(companyOf(target, row))).map((row) => row.id),
    );
    for (const id of ids) if (!found.has(id)) errors.push({ field: name, message: `there is no ${target.name} ${id}` });
  }
  return errors;
}

/** Sets a row's company to that of the record which `companyFrom` names, where the row refers to one. */
export async function setCompany(
  resource: AnyResource,
  findResource: ResourceFinder,
  row: Record<string, unknown>,
  tables: Tables,
): Promise<void> {
  const { company, companyFrom, columns } = resource;
  if (company === null || companyFrom === undefined || row[companyFrom] === null) return;
  const target = findResource(columns.find((column) => column.name === companyFrom)?.references as string);
  const [owner] = await tables.of(target).find({ where: [['id', '=', row[companyFrom]]] });
  row[company] = owner ? companyOf(target, owner) : null;
}

function referredIds(column: FieldDescription, value: unknown): number[] {
  if (!column.references || value === null || value === undefined) return [];
  return Array.isArray(value) ? [...new Set(value as number[])] : [value as number];
}
