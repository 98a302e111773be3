import { type AnyResource, badRequest, computedColumns, recordInput, type UncheckedInput } from '@horarium/core';

/**
 * Reads the fields of a record to save. Computed fields are left out: they are read-only like the id, so that a record
 * may be sent back as it was shown.
 */
export function recordToSave(resource: AnyResource, body: UncheckedInput): Record<string, unknown> {
  const computed = computedColumns(resource, 'item').map(({ name }) => name);
  return Object.fromEntries(Object.entries(recordInput(resource, body)).filter(([name]) => !computed.includes(name)));
}

/**
 * Returns the fields without the id, which the path or the query has given already.
 * @throws HorariumError `bad_request` when the body gives another id.
 */
export function withoutId(
  { id: bodyId, ...fields }: Readonly<Record<string, unknown>>,
  id: number | undefined,
): Record<string, unknown> {
  if (bodyId !== undefined && bodyId !== id)
    throw badRequest(`The body says id ${bodyId}, the address says ${id}; they must be the same.`);
  return fields;
}
