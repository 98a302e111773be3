import type { FieldError } from '../errors.ts';
import type { FieldRow } from '../field/field-table.ts';
import type { Query, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyResource } from './define-resource.ts';

type Values = Readonly<Record<string, unknown>>;

/** Finds a resource by its name. */
export type ResourceFinder = (name: string) => AnyResource;

/**
 * Checks the references that a save sets: each must be to a record of the same company or to one that all companies
 * share. One of another company, or that the caller may not see, is refused in the words of one that does not exist.
 */
export async function checkReferences(
  resource: AnyResource,
  find: ResourceFinder,
  row: Values,
  set: Values,
  tables: Tables,
  visible: (resource: AnyResource) => Where,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const column of resource.columns) {
    const ids = referredIds(column, set[column.name]);
    if (ids.length === 0 || column.readOnly) continue;
    const target = find(column.references as string);
    // No database watches over ids in a list: whoever deletes one of them waits until this is written, or comes first.
    const lock = column.kind === 'references' ? ({ lock: 'wait' } as const) : {};
    const found = new Set(await sameCompanyIds(target, ids, companyOf(resource, row), tables, visible, lock));
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

/** Takes the company over from the record that decides it, where the resource says so. */
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
  visible: (resource: AnyResource) => Where,
  lock: Pick<Query, 'lock'>,
): Promise<number[]> {
  // Records that all companies share may be used by everyone who may write what refers to them.
  const seen = target.company === null ? [] : visible(target);
  const rows = await tables.of(target).find({ where: [['id', 'in', ids], ...seen], ...lock });
  const shared = target.company === null || target.company === 'id' || company === null;
  return rows.filter((row) => shared || companyOf(target, row) === company).map((row) => row.id);
}
