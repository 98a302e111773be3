import { badRequest } from '../errors.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { parseBoolean, parseId } from '../field/parse-values.ts';
import { didYouMean } from '../registry/did-you-mean.ts';
import { memoized } from '../registry/memoized.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { Condition, Query, Where } from '../store/query.ts';
import { isComparable } from '../store/stored-values.ts';
import type { AnyRow } from '../store/table.ts';
import { parseInstant } from '../time/instant.ts';

/** The parameters of a list: filters by equality, further conditions such as ranges, the order and the page. */
export interface ListQuery<R extends AnyRow = AnyRow> {
  /** By field. Where `takesSeveral` says so, a text may have several values, separated by commas. */
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly where?: Where<R>;
  /** `field` or `-field`. @default '-id', newest first */
  readonly order?: string;
  /** 1 to 1000. @default 100 */
  readonly limit?: number;
  /** The number of rows to skip, 10,000 at most; `after` reaches further ones at no more cost than the first. @default 0 */
  readonly offset?: number;
  /** The cursor of the page to read: the `next` of the previous page. @default none, for the first page */
  readonly after?: string;
}

export const maxPageSize = 1000;
/** A store reads and discards the rows that it skips. */
export const maxOffset = 10_000;

const scalarKinds = new Set(['text', 'integer', 'number', 'flag', 'instant', 'choice', 'reference']);

/** The fields that lists of a resource may be ordered and filtered by. */
interface ListFields {
  readonly orderable: readonly FieldDescription[];
  readonly filterable: readonly FieldDescription[];
}

/** Returns the fields that lists may be ordered by: scalar, not secret, and first in an index. */
export function orderableFields(resource: AnyResource): readonly FieldDescription[] {
  return listFields(resource).orderable;
}

/** Returns the fields that lists may be filtered by: scalar, not secret, and anywhere in an index. */
export function filterableFields(resource: AnyResource): readonly FieldDescription[] {
  return listFields(resource).filterable;
}

const listFields = memoized((resource: AnyResource): ListFields => {
  const indexes = [['id'], ...resource.indexes, ...resource.unique];
  const visible = resource.columns.filter(({ kind, secret, hidden }) => scalarKinds.has(kind) && !secret && !hidden);
  return {
    orderable: visible.filter(({ name }) => indexes.some(([first]) => first === name)),
    filterable: visible.filter(({ name }) => indexes.some((index) => index.includes(name))),
  };
});

export interface ReadList<R extends AnyRow> {
  readonly query: Query<R>;
  /** Returns the cursor of the page that begins after this row. */
  cursor(last: Readonly<Record<string, unknown>>): string;
}

/** Validates the parameters of a list. @throws HorariumError `bad_request` naming the parameter that is wrong. */
export function readListQuery<R extends AnyRow>(resource: Resource<R>, list: ListQuery<R>): ReadList<R> {
  const limit = list.limit ?? 100;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPageSize)
    throw badRequest(`limit must be a whole number from 1 to ${maxPageSize}.`);
  const offset = list.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0) throw badRequest('offset must be a whole number, zero or more.');
  if (offset > maxOffset)
    throw badRequest(
      `offset may be ${maxOffset} at most: follow the link to the next page, or give its cursor as after.`,
    );
  const [field, direction] = readOrder(resource, list.order);
  const where: Condition[] = [...((list.where ?? []) as Where), ...readFilters(resource, list.filters ?? {})];
  if (list.after !== undefined) where.push(afterCursor(list.after, field, direction));
  const order = field.name === 'id' ? [] : ([[field.name, direction]] as const);
  return {
    query: { where, order: [...order, ['id', direction]], limit, offset } as Query<R>,
    cursor: (last) => encodeCursor([`${direction} ${field.name}`, last[field.name] ?? null, last['id'] as number]),
  };
}

function readOrder(resource: AnyResource, order = '-id'): readonly [FieldDescription, 'asc' | 'desc'] {
  const name = order.replace(/^-/, '');
  const allowed = orderableFields(resource);
  const field = allowed.find((candidate) => candidate.name === name);
  if (!field) {
    const names = allowed.map((candidate) => candidate.name);
    throw badRequest(`order must be one of ${names.join(', ')}, not ${name}.${didYouMean(name, names)}`);
  }
  return [field, order.startsWith('-') ? 'desc' : 'asc'];
}

function readFilters(resource: AnyResource, filters: Readonly<Record<string, unknown>>): Condition[] {
  const allowed = filterableFields(resource);
  return Object.entries(filters).map(([name, value]) => {
    const field = allowed.find((candidate) => candidate.name === name);
    if (!field) throw badRequest(`${name} is not a filter of ${resource.names.plural}.`);
    if (takesNone(field) && value === noReference) return [name, '=', null] as const;
    if (takesSeveral(field) && typeof value === 'string' && value.includes(','))
      return [name, 'in', readFilterValues(field, value)] as const;
    return [name, '=', readFilterValue(field, value)] as const;
  });
}

/** How many values a filter by one field may have. */
export const maxFilterValues = 100;

/** Whether a filter takes several values, separated by commas: names, and codes without a pattern, may hold commas themselves. */
export function takesSeveral({ kind, separable = false }: FieldDescription): boolean {
  return separable || ['choice', 'reference', 'integer'].includes(kind);
}

/** The value of a filter for the records that refer to none. */
export const noReference = 'none';

/** Whether a filter takes `none`: the field may refer to no record. */
export function takesNone({ kind, nullable }: FieldDescription): boolean {
  return kind === 'reference' && nullable;
}

/** @throws HorariumError `bad_request` for too many, or as `readFilterValue`. */
function readFilterValues(field: FieldDescription, text: string): unknown[] {
  const values = text.split(',');
  if (values.length > maxFilterValues)
    throw badRequest(`${field.name} has ${values.length} values; a filter may have ${maxFilterValues}.`);
  return [...new Set(values.map((each) => readFilterValue(field, each.trim())))];
}

/** Parses the value of a filter: HTTP and the command line give text, programs that embed the core a value. */
function readFilterValue(field: FieldDescription, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (field.kind === 'reference' || isIdColumn(field)) return parseId(field.name, value);
  if (field.kind === 'integer' || field.kind === 'number') {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
      throw badRequest(`${field.name} must be a whole number.`);
    return number;
  }
  if (field.kind === 'flag') return parseBoolean(field.name, value);
  if (field.kind === 'choice' && !field.values?.includes(value))
    throw badRequest(
      `${field.name} must be one of ${field.values?.join(', ')}, not ${value}.${didYouMean(value, field.values ?? [])}`,
    );
  if (field.kind !== 'instant') return value;
  try {
    return parseInstant(value);
  } catch (error) {
    throw badRequest(`${field.name} ${(error as Error).message}.`);
  }
}

/** Whether an integer column holds an id: that of the row itself, or of a record that may have been deleted. */
function isIdColumn({ name, kind }: FieldDescription): boolean {
  return kind === 'integer' && /(?:^|_)id$/.test(name);
}

/** Returns the condition for the rows after the cursor; nulls come last, ascending and descending. */
function afterCursor(cursor: string, { name: field, kind }: FieldDescription, direction: 'asc' | 'desc'): Condition {
  const [order, value, id] = decodeCursor(cursor);
  if (order !== `${direction} ${field}`) throw badRequest('after belongs to a list in another order.');
  if (!isComparable(kind, value)) throw badRequest(invalidCursor);
  const further = direction === 'asc' ? '>' : '<';
  const sameValue: Where = [
    [field, '=', value],
    ['id', further, id],
  ];
  if (field === 'id') return ['id', further, id];
  if (value === null) return { any: [sameValue] };
  return { any: [[[field, further, value]], sameValue, [[field, '=', null]]] };
}

const invalidCursor = 'after must be the cursor that a previous page returned.';

type Cursor = readonly [order: string, value: unknown, id: number];

function encodeCursor(cursor: Cursor): string {
  return btoa(encodeURIComponent(JSON.stringify(cursor))).replace(/=+$/, '');
}

function decodeCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(decodeURIComponent(atob(text))) as Cursor;
    if (Array.isArray(cursor) && cursor.length === 3 && Number.isSafeInteger(cursor[2])) return cursor;
  } catch {
    // Falls through to the error for every other invalid cursor.
  }
  throw badRequest(invalidCursor);
}
