import type { TableDescription } from '../store/table.ts';

/** Whether a field of a record would take a value as it is. */
export function fits(resource: TableDescription, field: string, value: unknown): boolean {
  return resource.fields[field]?.isValidSync(value, { strict: true }) === true;
}
