import { badRequest } from '../errors.ts';
import type { FieldRow } from '../field/field-table.ts';
import { parseBoolean, parseId } from '../field/parse-values.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { Query, Term, Where } from '../store/query.ts';
import { isComparable } from '../store/stored-values.ts';
import type { AnyRow } from '../store/table.ts';
import { parseInstant } from '../time/instant.ts';

/** What a list is asked for. Filters are equalities, or ranges written as ready terms. */
export interface ListQuery<R extends AnyRow = AnyRow> {
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly where?: Where<R>;
  /** `field` or `-field`; newest first when left out. */
  readonly order?: string;
  /** 1 to 1000; 100 when left out. */
  readonly limit?: number;
  readonly offset?: number;
  /** Where the page before ended: the `next` of its answer. */
  readonly after?: string;
}

export const maxPageSize = 1000;

const scalar = new Set(['text', 'integer', 'number', 'flag', 'instant', 'choice', 'reference']);

/** What lists of a resource can be asked for. */
interface ListFields {
  readonly orderable: readonly FieldRow[];
  readonly filterable: readonly FieldRow[];
}

/** Fields that lists may be ordered by: scalar, not secret, and the first of an index, which has that order. */
export function orderableFields(resource: AnyResource): readonly FieldRow[] {
  return listFields(resource).orderable;
}

/** Fields that lists may be filtered by: scalar, not secret, and anywhere in an index. */
export function filterableFields(resource: AnyResource): readonly FieldRow[] {
  return listFields(resource).filterable;
}

function listFields(resource: AnyResource): ListFields {
  let fields = known.get(resource);
  if (!fields) {
    const indexes = [['id'], ...resource.indexes, ...resource.unique];
    const shown = resource.columns.filter(({ kind, secret, hidden }) => scalar.has(kind) && !secret && !hidden);
    fields = {
      orderable: shown.filter(({ name }) => indexes.some(([first]) => first === name)),
      filterable: shown.filter(({ name }) => indexes.some((index) => index.includes(name))),
    };
    known.set(resource, fields);
  }
  return fields;
}
const known = new WeakMap<AnyResource, ListFields>();

export interface ReadList<R extends AnyRow> {
  readonly query: Query<R>;
  /** The cursor of the page that follows one that ended with this row. */
  cursor(last: Readonly<Record<string, unknown>>): string;
}

/** @throws HorariumError `bad_request` naming the parameter that is wrong. */
export function readListQuery<R extends AnyRow>(resource: Resource<R>, list: ListQuery<R>): ReadList<R> {
  const limit = list.limit ?? 100;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPageSize)
    throw badRequest(`limit must be a whole number from 1 to ${maxPageSize}.`);
  const offset = list.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0) throw badRequest('offset must be a whole number, zero or more.');
  const [field, direction] = readOrder(resource, list.order);
  const where: Term[] = [...((list.where ?? []) as Where), ...readFilters(resource, list.filters ?? {})];
  if (list.after !== undefined) where.push(beyond(list.after, field, direction));
  const order = field.name === 'id' ? [] : ([[field.name, direction]] as const);
  return {
    query: { where, order: [...order, ['id', direction]], limit, offset } as Query<R>,
    cursor: (last) => encodeCursor([`${direction} ${field.name}`, last[field.name] ?? null, last['id'] as number]),
  };
}

function readOrder(resource: AnyResource, order = '-id'): readonly [FieldRow, 'asc' | 'desc'] {
  const name = order.replace(/^-/, '');
  const allowed = orderableFields(resource);
  const field = allowed.find((each) => each.name === name);
  if (!field) throw badRequest(`order must be one of ${allowed.map((each) => each.name).join(', ')}, not ${name}.`);
  return [field, order.startsWith('-') ? 'desc' : 'asc'];
}

function readFilters(resource: AnyResource, filters: Readonly<Record<string, unknown>>): Term[] {
  const allowed = filterableFields(resource);
  return Object.entries(filters).map(([name, value]) => {
    const field = allowed.find((each) => each.name === name);
    if (!field) throw badRequest(`${name} is not a filter of ${resource.names.plural}.`);
    return [name, '=', readFilterValue(field, value)] as const;
  });
}

/** Filters come as text from the channels and as values from embedders. */
export function readFilterValue(field: FieldRow, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (field.kind === 'reference' || isNamedAsId(field)) return parseId(field.name, value);
  if (field.kind === 'integer' || field.kind === 'number') {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
      throw badRequest(`${field.name} must be a whole number.`);
    return number;
  }
  if (field.kind === 'flag') return parseBoolean(field.name, value);
  if (field.kind === 'choice' && !field.values?.includes(value))
    throw badRequest(`${field.name} must be one of ${field.values?.join(', ')}, not ${value}.`);
  if (field.kind !== 'instant') return value;
  try {
    return parseInstant(value);
  } catch (error) {
    throw badRequest(`${field.name} ${(error as Error).message}.`);
  }
}

/** Ids that outlive what they speak of are plain numbers, as are the ids of the rows themselves. */
function isNamedAsId({ name, kind }: FieldRow): boolean {
  return kind === 'integer' && /(?:^|_)id$/.test(name);
}

/** The rows after the cursor's, in an order where nulls come last both ways. */
function beyond(cursor: string, { name: field, kind }: FieldRow, direction: 'asc' | 'desc'): Term {
  const [order, value, id] = decodeCursor(cursor);
  if (order !== `${direction} ${field}`) throw badRequest('after belongs to a list in another order.');
  if (!isComparable(kind, value)) throw badRequest(noCursor);
  const further = direction === 'asc' ? '>' : '<';
  const sameValue: Where = [
    [field, '=', value],
    ['id', further, id],
  ];
  if (field === 'id') return ['id', further, id];
  if (value === null) return { any: [sameValue] };
  return { any: [[[field, further, value]], sameValue, [[field, '=', null]]] };
}

const noCursor = 'after must be the cursor of a page that was answered before.';

type Cursor = readonly [order: string, value: unknown, id: number];

function encodeCursor(cursor: Cursor): string {
  return btoa(encodeURIComponent(JSON.stringify(cursor))).replace(/=+$/, '');
}

function decodeCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(decodeURIComponent(atob(text))) as Cursor;
    if (Array.isArray(cursor) && cursor.length === 3 && Number.isSafeInteger(cursor[2])) return cursor;
  } catch {
    // Falls through: whatever is not a cursor of ours gets the same answer.
  }
  throw badRequest(noCursor);
}
