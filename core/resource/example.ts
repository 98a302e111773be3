import type { FieldRow } from '../field/field-table.ts';
import { mask } from '../secret/ciphertext.ts';
import { newRow } from '../store/table.ts';
import type { AnyResource } from './define-resource.ts';
import { serializeRow } from './serialize-row.ts';

/** What stands for a secret in examples: it is sent as it is and comes back masked. */
export const exampleSecret = 'never shown again';

const madeAt = Date.UTC(2026, 10, 20, 9);

/** What a caller sends to make the example of a resource: the fields that callers may set. */
export function exampleInput(resource: AnyResource): Record<string, unknown> {
  const settable = resource.columns.filter(({ name, readOnly }) => name in resource.example && !readOnly);
  const instants = serializeRow({ ...resource, columns: settable }, resource.example);
  return Object.fromEntries(settable.map(({ name }) => [name, instants[name] ?? resource.example[name]]));
}

/** The example as channels show it, with defaults for what it leaves out; `columns` are those to show. */
export function exampleShown(resource: AnyResource, columns: readonly FieldRow[]): Record<string, unknown> {
  const shown: AnyResource = { ...resource, columns };
  const row = { ...newRow(shown, resource.example), id: 1, created_at: madeAt, updated_at: madeAt };
  return JSON.parse(JSON.stringify(serializeRow(shown, row)).replaceAll(exampleSecret, mask));
}
