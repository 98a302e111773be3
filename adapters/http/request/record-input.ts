import { type AnyResource, badRequest, recordInput, type UncheckedInput, withoutComputedFields } from '@horarium/core';

/** Reads the fields of a record to save, without the computed ones. */
export function recordToSave(resource: AnyResource, body: UncheckedInput): Record<string, unknown> {
  return withoutComputedFields(resource, recordInput(resource, body));
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
