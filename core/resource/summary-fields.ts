import type { AnyResource } from './define-resource.ts';

const short = new Set(['text', 'flag', 'choice', 'reference', 'instant']);
const rest = new Set(['created_at', 'updated_at']);

/**
 * The fields that identify a record in one line, for tables that people read: those that its description names,
 * else what identifies it and what it must have.
 */
export function summaryFieldsOf(resource: AnyResource): readonly string[] {
  if (resource.summaryFields) return resource.summaryFields;
  const tells = new Set(['code', 'name', 'enabled', ...resource.key]);
  const columns = resource.columns.filter(
    (column) =>
      !column.hidden &&
      !column.secret &&
      !rest.has(column.name) &&
      (tells.has(column.name) || (column.required && short.has(column.kind))),
  );
  return ['id', ...columns.map((column) => column.name).filter((name) => name !== 'id')];
}
