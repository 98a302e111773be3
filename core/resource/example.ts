import type { AnyResource } from './define-resource.ts';
import type { FieldRow } from './field-table.ts';
import { mask } from './mask.ts';
import { newRow } from './new-row.ts';
import { present } from './present.ts';

/** What stands for a secret in examples: it is sent as it is and comes back masked. */
export const exampleSecret = 'never shown again';

const madeAt = Date.UTC(2026, 10, 20, 9);

/** What a caller sends to make the example of a resource: the fields that callers may set. */
export function exampleInput(resource: AnyResource): Record<string, unknown> {
  const settable = resource.columns.filter(({ name, readOnly }) => name in resource.example && !readOnly);
  const instants = present({ ...resource, columns: settable }, resource.example);
  return Object.fromEntries(settable.map(({ name }) => [name, instants[name] ?? resource.example[name]]));
}

/** The example as doors show it, with defaults for what it leaves out; `columns` are those to show. */
export function exampleShown(resource: AnyResource, columns: readonly FieldRow[]): Record<string, unknown> {
  const shown: AnyResource = { ...resource, columns };
  const row = { ...newRow(shown, resource.example), id: 1, created_at: madeAt, updated_at: madeAt };
  return JSON.parse(JSON.stringify(present(shown, row)).replaceAll(exampleSecret, mask));
}
