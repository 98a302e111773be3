import type { FieldTable } from '../field/field-table.ts';
import type { Tables } from '../store/store.ts';
import type { AnyResource, Computed, Embedded } from './define-resource.ts';
import { serializeRow } from './serialize-row.ts';

type Shown = Record<string, unknown>;
type Row = { readonly id: number };
/** Single items may show more than those of a list. */
export type Detail = 'item' | 'list';

function computedIn({ computed }: AnyResource, detail: Detail): readonly Computed[] {
  return detail === 'item' ? computed : computed.filter(({ detailOnly }) => !detailOnly);
}

/** The computed fields of a resource; records that it embeds whole are not among them. */
export function computedColumns(resource: AnyResource, detail: Detail): FieldTable {
  return computedIn(resource, detail).flatMap(({ columns }) => columns);
}

/** The records that a record embeds, by the field that holds them. */
export function embeddedIn(resource: AnyResource, detail: Detail): Readonly<Record<string, Embedded>> {
  return Object.assign({}, ...computedIn(resource, detail).map(({ embeds }) => embeds));
}

/**
 * Rows as channels show them, with the computed fields.
 * @param read gives the tables to read more from; it is not called where nothing more is needed.
 */
export async function serialize(
  read: (work: (tables: Tables) => Promise<void>) => Promise<void>,
  resource: AnyResource,
  rows: readonly Row[],
  detail: Detail,
): Promise<Shown[]> {
  const shown = rows.map((row) => serializeRow(resource, row));
  const computed = computedIn(resource, detail);
  if (computed.length === 0 || rows.length === 0) return shown;
  await read(async (tables) => {
    for (const { load, embeds = {} } of computed) {
      const values = (await load?.(tables, rows)) ?? [];
      for (const [index, more] of values.entries()) Object.assign(shown[index] as Shown, more);
      for (const [field, embedded] of Object.entries(embeds)) await embed(tables, rows, shown, field, embedded);
    }
  });
  return shown;
}

/** Puts the embedded records into the records that they point to. */
async function embed(
  tables: Tables,
  rows: readonly Row[],
  shown: readonly Shown[],
  field: string,
  { resource, by }: Embedded,
): Promise<void> {
  if (by === undefined) return;
  const ids = rows.map((row) => row.id);
  const found = await tables.of(resource).find({ where: [[by, 'in', ids]], order: [['id', 'asc']] });
  const lists = new Map<unknown, Shown[]>(ids.map((id) => [id, []]));
  for (const each of found) lists.get((each as Shown)[by])?.push(serializeRow(resource, each));
  for (const [index, { id }] of rows.entries()) Object.assign(shown[index] as Shown, { [field]: lists.get(id) });
}
