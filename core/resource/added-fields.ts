import { type Fields, metaOf, type RowOf } from '../field/field-meta.ts';
import { integer } from '../field/fields.ts';
import type { Tables } from '../store/store.ts';
import { type AnyRow, describeTable, newRow, type TableDescription } from '../store/table.ts';
import type { Contribution } from './contribute.ts';
import { type AnyResource, describeComputed } from './define-resource.ts';
import { serializeRow } from './serialize-row.ts';

/** Fields that others add to the records of a resource, in a table of their own with at most one row for each record. */
export interface AddedFields<out R extends AnyRow = AnyRow> extends TableDescription<R> {
  /** The resource whose records have the fields. */
  readonly of: AnyResource;
}

const ownFields = {
  id: integer({ readOnly: true, hidden: true }).required(),
  /** The record that has the fields. */
  record_id: integer({ unique: true, hidden: true }).required(),
};

interface AddedFieldsOptions<F extends Fields> {
  /** Names the table: `PingAddress`. */
  readonly name: string;
  /** Either `hidden`, or `readOnly` and shown with the record: routes and tickers write them, callers do not. */
  readonly fields: F;
}

/**
 * Describes fields that are added to the records of a resource. Whatever shows such a record shows them, a change of one is
 * audited as a change of the record and makes a new version of it, and they are deleted with it.
 */
export function defineFields<F extends Fields>(
  of: AnyResource,
  { name, fields }: AddedFieldsOptions<F>,
): AddedFields<RowOf<F> & RowOf<typeof ownFields>> {
  return Object.freeze({ ...describeTable({ name, fields: { ...ownFields, ...fields } }), audited: false, of });
}

/** Sets added fields of a record; those that are left out stay as they are. */
export async function setFields<R extends AnyRow>(
  tables: Tables,
  added: AddedFields<R>,
  recordId: number,
  set: Partial<R>,
): Promise<void> {
  const table = tables.of<AnyRow>(added);
  const [row] = await table.find({ where: [['record_id', '=', recordId]], lock: 'wait' });
  if (row) await table.update([{ row, set }]);
  else await table.insert([newRow<AnyRow>(added, { ...set, record_id: recordId })]);
}

/** Adds fields to a resource. */
export function addFields(added: AddedFields): Contribution {
  const fields = Object.fromEntries(Object.entries(added.fields).filter(([, field]) => !metaOf(field).hidden));
  const isShown = Object.keys(fields).length > 0;
  return { to: added.of.name, added: [added], computed: isShown ? [describeComputed({ fields, load })] : [] };

  async function load(tables: Tables, records: readonly AnyRow[]) {
    const ids = records.map(({ id }) => id);
    const rows = await tables.of(added).find({ where: [['record_id', 'in', ids]] });
    const rowById = new Map(rows.map((row) => [row['record_id'], row]));
    const blank = newRow(added, {});
    return ids.map((id) => serializeRow(added, rowById.get(id) ?? blank));
  }
}
