import type { FieldDescription } from '../field/field-description.ts';
import { mask } from '../secret/ciphertext.ts';
import { newRow } from '../store/table.ts';
import type { AnyResource } from './define-resource.ts';
import { serializeRow } from './serialize-row.ts';

/** The secret in examples: example requests contain it, example responses the mask in its place. */
export const exampleSecret = 'never shown again';

const createdAt = Date.UTC(2026, 10, 20, 9);

/** The input that creates the example record of a resource: its fields that callers may set, times as RFC 3339. */
export function exampleInput(resource: AnyResource): Record<string, unknown> {
  const settable = resource.columns.filter(({ name, readOnly }) => name in resource.example && !readOnly);
  const serialized = serializeRow({ ...resource, columns: settable }, resource.example);
  return Object.fromEntries(settable.map(({ name }) => [name, serialized[name] ?? resource.example[name]]));
}

/** The example record as responses contain it: these columns, with defaults for those that the example leaves out. */
export function exampleOutput(resource: AnyResource, columns: readonly FieldDescription[]): Record<string, unknown> {
  const output: AnyResource = { ...resource, columns };
  const row = { ...newRow(output, resource.example), id: 1, created_at: createdAt, updated_at: createdAt };
  return JSON.parse(JSON.stringify(serializeRow(output, row)).replaceAll(exampleSecret, mask));
}
