import { integer, text } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ListLookup } from '../resource/define-resource.ts';
import type { Condition, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { type AnyRow, defineBookkeeping, type RowOfTable } from '../store/table.ts';
import { partsOf, type Recorded, severalRecords } from './changes.ts';

/** The maximum number of records that share an entry: the span of an id begins less than so many ids before it. */
export const maxRecordsPerEntry = 500;

/** Consecutive ids of records whose changes one entry holds: they find the entries of a record. */
export const AuditSpan = defineBookkeeping({
  name: 'AuditSpan',
  fields: {
    entry_id: integer().required(),
    entity_type: text(64).required(),
    first_id: integer().required(),
    last_id: integer().required(),
  },
  unique: [['entry_id', 'first_id']],
  indexes: [['entity_type', 'first_id']],
});
export type SpanRow = RowOfTable<typeof AuditSpan>;

/** Returns the spans of the ids in a shared entry; none for an entry of a single record. */
export function spansOf(entry: Recorded, entry_id: number): Omit<SpanRow, 'id'>[] {
  if (entry.entity_id !== severalRecords) return [];
  const spans: Omit<SpanRow, 'id'>[] = [];
  for (const [id] of partsOf(entry).sort(([a], [b]) => a - b)) {
    const last = spans.at(-1);
    if (last && last.last_id === id - 1) last.last_id = id;
    else spans.push({ entry_id, entity_type: entry.entity_type, first_id: id, last_id: id });
  }
  return spans;
}

/** Returns the condition for all entries that hold changes of these records. @param entityType undefined = of any kind */
export async function entriesOfRecords(
  tables: Tables,
  entityType: string | undefined,
  ids: readonly number[],
): Promise<{ readonly any: readonly (readonly (readonly ['entity_id' | 'id', 'in', readonly number[]])[])[] }> {
  const own = [['entity_id', 'in', ids]] as const;
  const ofType: Where<SpanRow> = entityType === undefined ? [] : [['entity_type', '=', entityType]];
  const wanted = new Set(ids);
  const entryIds = new Set<number>();
  for (const { first, last } of rangesOf(wanted)) {
    await yieldToEventLoop();
    const near: Where<SpanRow> = [
      ['first_id', '>', first - maxRecordsPerEntry],
      ['first_id', '<=', last],
      ['last_id', '>=', first],
    ];
    const spans = await tables.of(AuditSpan).find({ where: [...ofType, ...near] });
    for (const { entry_id, first_id, last_id } of spans)
      if (!entryIds.has(entry_id) && holdsAny(wanted, first_id, last_id)) entryIds.add(entry_id);
  }
  return { any: entryIds.size === 0 ? [own] : [own, [['id', 'in', [...entryIds]]]] };
}

/** Splits ids into ranges so far apart that no span can reach from one to the next. */
function rangesOf(ids: Iterable<number>): { readonly first: number; last: number }[] {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && id - range.last < maxRecordsPerEntry) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  return ranges;
}

function holdsAny(ids: ReadonlySet<number>, first: number, last: number): boolean {
  for (let id = first; id <= last; id += 1) if (ids.has(id)) return true;
  return false;
}

/** Finds the shared entries of the records that a list of the audit log asks for, and shows the part of the only one in each. */
export const lookUpRecord: ListLookup = async (tables, where) => {
  const wantedOf = (name: string): readonly unknown[] =>
    where.flatMap((condition) => ('any' in condition || condition[0] !== name ? [] : [condition[2]].flat()));
  const ids = wantedOf('entity_id') as readonly number[];
  if (ids.length === 0) return { where, show: (row) => row };
  const [type, ...otherTypes] = wantedOf('entity_type') as readonly string[];
  // Of several kinds, the list itself has the condition on the kind of an entry.
  const condition = await entriesOfRecords(tables, otherTypes.length > 0 ? undefined : type, ids);
  const others = where.filter((each) => 'any' in each || each[0] !== 'entity_id');
  const show = (row: AnyRow) => {
    const [part, ...more] = partsOf(row as unknown as Recorded).filter(([each]) => ids.includes(each));
    return part && more.length === 0 ? { ...row, entity_id: part[0], changes: part[1] } : row;
  };
  return { where: [...others, condition as Condition], show };
};
