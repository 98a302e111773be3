import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { namingFieldsOf } from '../resource/references.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';

/** The fields that tables show records by. A UUID says nothing to people. */
function labelFieldsOf(resource: AnyResource): readonly string[] {
  return namingFieldsOf(resource).filter((field) => field !== 'uuid');
}

/** Whether records of this kind have a code, a login or a name that tables can show. */
export function isLabelled(resource: AnyResource): boolean {
  return labelFieldsOf(resource).length > 0;
}

/** How tables show a record beside or in place of its id. */
export interface RecordLabel {
  /** `acme` where that text is of one record alone, and `12 nightly-backup` where others may have it. */
  readonly short: string;
  /** With the id in any case: `1 acme`. */
  readonly full: string;
}

/**
 * Reads how tables show records, in one query. Records that the actor may not see, or that exist no more, are missing.
 */
export async function readLabels(
  tables: Tables,
  actor: Actor,
  resource: AnyResource,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RecordLabel>> {
  const fields = labelFieldsOf(resource);
  if (ids.length === 0 || fields.length === 0) return new Map();
  const where = [['id', 'in', ids] as const, ...visibleTo<AnyRow>(actor, resource)];
  const rows = await tables.of<AnyRow>(resource).find({ where, columns: ['id', ...fields] });
  return new Map(rows.map((row) => [row.id as number, labelOf(resource, fields, row as AnyRow)]));
}

/** The maximum characters of a label, so that a table has room for other columns. */
const maxLabel = 24;

function labelOf({ unique }: AnyResource, fields: readonly string[], row: AnyRow): RecordLabel {
  const field = fields.find((each) => typeof row[each] === 'string' && row[each] !== '');
  if (field === undefined) return { short: String(row.id), full: String(row.id) };
  const [line = '', ...more] = (row[field] as string).split('\n');
  const text = line.length > maxLabel || more.length > 0 ? `${[...line].slice(0, maxLabel - 1).join('')}…` : line;
  const isSingle = unique.some((group) => group.length === 1 && group[0] === field);
  const full = `${row.id} ${text}`;
  // A number would be read as an id.
  return { short: isSingle && text === row[field] && !/^[-+\d.]*$/.test(text) ? text : full, full };
}
