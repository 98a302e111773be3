import type { AnyResource } from './define-resource.ts';

/** The kinds of columns whose values fit a cell of a table. */
const shortKinds = new Set(['text', 'flag', 'choice', 'reference', 'instant']);
const timestamps = new Set(['created_at', 'updated_at']);

/**
 * The fields that show a record in one line of a table: the `summaryFields` of its resource, or else its id, its key,
 * its code, name and enabled, and its required fields of short kinds.
 */
export function summaryFieldsOf(resource: AnyResource): readonly string[] {
  if (resource.summaryFields) return resource.summaryFields;
  const always = new Set(['code', 'name', 'enabled', ...resource.key]);
  const columns = resource.columns.filter(
    (column) =>
      !column.hidden &&
      !column.secret &&
      !timestamps.has(column.name) &&
      (always.has(column.name) || (column.required && shortKinds.has(column.kind))),
  );
  return ['id', ...columns.map((column) => column.name).filter((name) => name !== 'id')];
}
