import { type AnyResource, Company, User } from '@horarium/core';

type Shape = Pick<AnyResource, 'columns' | 'company'>;

/**
 * Returns the name of the kind of records whose ids a field has; undefined for other fields. Fields of the audit log and of what
 * else outlives its records are no references, but have ids too.
 * @param typeOf returns the value of the field that says what kind the record is, such as `entity_type` for `entity_id`.
 */
export function referenceKindOf(
  { columns, company }: Shape,
  field: string,
  typeOf: (typeField: string) => unknown,
): string | undefined {
  const column = columns.find(({ name }) => name === field);
  if (column?.references !== undefined) return column.references;
  if (!column || !field.endsWith('_id')) return undefined;
  if (field === company) return Company.name;
  if (field === 'user_id') return User.name;
  const typeField = typeFieldOf(columns, field);
  return typeField === undefined ? undefined : String(typeOf(typeField));
}

/** The field with the kind of the record whose id another field has, such as `entity_type` for `entity_id`; undefined where the kind is fixed. */
export function typeFieldOf(columns: Shape['columns'], field: string): string | undefined {
  const type = field.replace(/_id$/, '_type');
  return columns.find(({ name, format }) => name === type && name !== field && format === 'resource')?.name;
}
