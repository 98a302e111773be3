import type { FieldError } from '../errors.ts';
import type { FieldRow } from '../field/field-table.ts';
import type { Query, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyResource } from './define-resource.ts';

type Values = Readonly<Record<string, unknown>>;

/** Finds a resource by its name. */
export type ResourceFinder = (name: string) => AnyResource;

/**
 * Replaces the names that callers gave in place of ids, such as `login` in place of `user_id`, by those ids.
 * @returns the input to read, and the references that were given by name.
 */
export async function resolveNames(
  resource: AnyResource,
  find: ResourceFinder,
  input: Values,
  tables: Tables,
  errors: FieldError[],
): Promise<{ readonly input: Values; readonly named: ReadonlySet<string> }> {
  const resolved: Record<string, unknown> = { ...input };
  const named = new Set<string>();
  for (const { name: field, references, namedBy } of resource.columns) {
    if (namedBy === undefined || !Object.hasOwn(input, namedBy)) continue;
    const name = input[namedBy];
    const target = find(references as string);
    const where = [[namedBy, '=', name] as const];
    const [row] = typeof name === 'string' ? await tables.of(target).find({ where, columns: ['id'] }) : [];
    delete resolved[namedBy];
    if (!row) errors.push({ field: namedBy, message: `there is no ${target.name} with this ${namedBy}` });
    else if (resolved[field] !== undefined && resolved[field] !== row.id)
      errors.push({ field: namedBy, message: `${namedBy} and ${field} are of two records` });
    else resolved[field] = row.id;
    named.add(field);
  }
  return { input: resolved, named };
}

/**
 * Checks the references that a save sets: each must be to a record of the same company or to one that all companies
 * share. One of another company, or that the caller may not see, is refused like one that does not exist.
 * @param known references whose record the caller need not see: they were given by name, or are as they were.
 */
export async function checkReferences(
  resource: AnyResource,
  find: ResourceFinder,
  row: Values,
  set: Values,
  tables: Tables,
  visible: (resource: AnyResource) => Where,
  known: ReadonlySet<string>,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const column of resource.columns) {
    const ids = referredIds(column, set[column.name]);
    if (ids.length === 0 || column.readOnly) continue;
    const target = find(column.references as string);
    // No database enforces ids in a list, so the lock makes their deletion wait until this is written.
    const lock = column.kind === 'references' ? ({ lock: 'wait' } as const) : {};
    // Records that all companies share may be used by everyone who may write what refers to them.
    const free = target.company === null && (column.namedBy === undefined || known.has(column.name));
    const seen = free ? [] : visible(target);
    const found = new Set(await sameCompanyIds(target, ids, companyOf(resource, row), tables, seen, lock));
    for (const id of ids) {
      if (!found.has(id)) errors.push({ field: column.name, message: `there is no ${target.name} ${id}` });
    }
  }
  return errors;
}

/** The company that a row belongs to; null for records that all companies share. */
export function companyOf(resource: AnyResource, row: Values): number | null {
  return resource.company === null ? null : ((row[resource.company] ?? null) as number | null);
}

/** Sets the company to that of the record which decides it, where the resource has one. */
export async function setCompany(
  resource: AnyResource,
  find: ResourceFinder,
  row: Record<string, unknown>,
  tables: Tables,
): Promise<void> {
  const { company, companyFrom, columns } = resource;
  if (company === null || companyFrom === undefined) return;
  const target = find(columns.find((column) => column.name === companyFrom)?.references as string);
  const [decider] = await tables.of(target).find({ where: [['id', '=', row[companyFrom]]] });
  row[company] = decider ? companyOf(target, decider) : null;
}

function referredIds(column: FieldRow, value: unknown): number[] {
  if (!column.references || value === null || value === undefined) return [];
  return Array.isArray(value) ? [...new Set(value as number[])] : [value as number];
}

async function sameCompanyIds(
  target: AnyResource,
  ids: number[],
  company: number | null,
  tables: Tables,
  seen: Where,
  lock: Pick<Query, 'lock'>,
): Promise<number[]> {
  const rows = await tables.of(target).find({ where: [['id', 'in', ids], ...seen], ...lock });
  const shared = target.company === null || target.company === 'id' || company === null;
  return rows.filter((row) => shared || companyOf(target, row) === company).map((row) => row.id);
}
