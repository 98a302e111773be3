import type { FieldDescriptions } from '../field/field-description.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import type { AnyResource, Computed, Embedded } from './define-resource.ts';
import { listColumns, serializeRow } from './serialize-row.ts';

type SerializedRecord = Record<string, unknown>;
type Row = { readonly id: number };
/** Whether a record is serialized by itself or in a list, which leaves out the fields marked `detailOnly`. */
export type Detail = 'item' | 'list';

function computedIn({ computed }: AnyResource, detail: Detail): readonly Computed[] {
  return detail === 'item' ? computed : computed.filter(({ detailOnly }) => !detailOnly);
}

/** The computed fields of a resource; records that it embeds whole are not among them. */
export function computedColumns(resource: AnyResource, detail: Detail): FieldDescriptions {
  return computedIn(resource, detail).flatMap(({ columns }) => columns);
}

/** Leaves out the computed fields: they are read-only like the id, so that a record can be sent back as it was shown. */
export function withoutComputedFields(
  resource: AnyResource,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const computed = computedColumns(resource, 'item').map(({ name }) => name);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !computed.includes(name)));
}

/** The records that a record embeds, by the field that holds them. */
export function embeddedIn(resource: AnyResource, detail: Detail): Readonly<Record<string, Embedded>> {
  return Object.assign({}, ...computedIn(resource, detail).map(({ embeds }) => embeds));
}

/**
 * Serializes rows as channels show them, with their computed fields.
 * @param read runs a function in a read transaction; it is called only where there are computed fields to load.
 */
export async function serialize(
  read: (work: (tables: Tables) => Promise<void>) => Promise<void>,
  resource: AnyResource,
  rows: readonly Row[],
  detail: Detail,
): Promise<SerializedRecord[]> {
  const serialized: SerializedRecord[] = [];
  for (const row of rows) {
    await yieldToEventLoop();
    serialized.push(serializeRow(resource, row));
  }
  const computed = computedIn(resource, detail);
  if (computed.length === 0 || rows.length === 0) return serialized;
  await read(async (tables) => {
    for (const { load, embeds = {} } of computed) {
      const values = (await load?.(tables, rows)) ?? [];
      for (const [index, computedValues] of values.entries())
        Object.assign(serialized[index] as SerializedRecord, computedValues);
      for (const [field, embedded] of Object.entries(embeds)) await embed(tables, rows, serialized, field, embedded);
    }
  });
  return serialized;
}

/** Adds to each record the list of the records that refer to it, as lists show them. */
async function embed(
  tables: Tables,
  rows: readonly Row[],
  serialized: readonly SerializedRecord[],
  field: string,
  { resource, by, mayHave = () => true }: Embedded,
): Promise<void> {
  if (by === undefined) return;
  const ids = rows.filter((row) => mayHave(row as AnyRow)).map((row) => row.id);
  const where: Where = [[by, 'in', ids]];
  const columns = listColumns(resource);
  const referrers = ids.length > 0 ? await tables.of(resource).find({ where, order: [['id', 'asc']], columns }) : [];
  const listById = new Map<unknown, SerializedRecord[]>(rows.map(({ id }) => [id, []]));
  for (const referrer of referrers) {
    await yieldToEventLoop();
    listById.get((referrer as SerializedRecord)[by])?.push(serializeRow(resource, referrer));
  }
  for (const [index, { id }] of rows.entries())
    Object.assign(serialized[index] as SerializedRecord, { [field]: listById.get(id) });
}
