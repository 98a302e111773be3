import {
  type AnyResource,
  filterableFields,
  formatInstant,
  isInstant,
  type ListQuery,
  nearestInstant,
  parseInstant,
  type Term,
  zoneNamed,
} from '@horarium/core';
import { badRequest } from '../reply/problems.ts';
import { type Query, wholeNumber } from './query.ts';

export const pageParameters: readonly string[] = ['limit', 'offset', 'after', 'order'];
/** Lists are counted exactly up to here. */
const mostCounted = 10_000;
/** How far to count, so that more than are counted exactly are told from exactly so many. */
export const countUpTo = mostCounted + 1;

/** Filters of a list beyond equality on its indexed fields. */
export interface ListFilters {
  /** The time field that `from` and `to` speak of; without it the list does not know them. */
  readonly period?: string;
}

/** The query parameters that a list knows. */
export function listParameters(resource: AnyResource, filters: ListFilters): string[] {
  const fields = filterableFields(resource).map((field) => field.name);
  const range = filters.period ? ['from', 'to'] : [];
  return [...new Set([...pageParameters, ...fields, ...range])];
}

/** @throws HttpProblem `bad_request` naming the parameter that is wrong. */
export function readList(resource: AnyResource, filters: ListFilters, query: Query, timezone: string): ListQuery {
  const fields = new Set(filterableFields(resource).map((field) => field.name));
  const limit = wholeNumber(query, 'limit');
  const offset = wholeNumber(query, 'offset');
  const after = query.get('after');
  const order = query.get('order');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(after === undefined ? {} : { after }),
    ...(order === undefined ? {} : { order }),
    filters: Object.fromEntries([...query].filter(([name]) => fields.has(name) && !pageParameters.includes(name))),
    where: range(filters.period, query, timezone),
  };
}

/** `from` and `to`, both inclusive: times, or dates that mean the whole day in the service's time zone. */
function range(field: string | undefined, query: Query, timezone: string): Term[] {
  if (field === undefined) return [];
  const from = query.get('from');
  const to = query.get('to');
  return [
    ...(from === undefined ? [] : [[field, '>=', readEdge('from', from, timezone)] as const]),
    ...(to === undefined ? [] : [[field, '<=', readEdge('to', to, timezone)] as const]),
  ];
}

const day = 86_400_000;

/** A time, or a date: its first moment as `from`, its last as `to`. */
export function readEdge(name: 'from' | 'to', given: string, timezone: string): number {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : null;
  if (midnight !== null) {
    if (!isInstant(midnight) || !formatInstant(midnight).startsWith(given))
      throw badRequest(`${name} ${given} is no existing date.`);
    const zone = zoneNamed(timezone);
    return nearestInstant(name === 'from' ? zone.reach(midnight) : zone.reach(midnight + day) - 1);
  }
  try {
    return parseInstant(given);
  } catch (error) {
    throw badRequest(`${name} ${(error as Error).message}, or a date.`);
  }
}

/** Whether a list is asked for in one piece: `limit=all`. */
export function wantsAll(query: Query): boolean {
  return query.get('limit') === 'all';
}

/** How many there are, as it is told: exactly, or that it is more than were counted. */
export function totalOf(count: number): string {
  return count > mostCounted ? `${mostCounted}+` : String(count);
}

/** The headers of one page: how many there are in all, and where the next one is. */
export function pageHeaders(total: string, next: string | null): Record<string, string> {
  return { 'X-Total-Count': total, ...(next === null ? {} : { Link: `<${next}>; rel="next"` }) };
}

/** The query with some parameters set and, where they are null, taken away. Another list begins at its beginning. */
export function changedSearch(query: Query, changes: Readonly<Record<string, string | null>>): string {
  const kept = [...query].filter(([name]) => name !== 'after' && name !== 'offset' && !(name in changes));
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  const search = String(new URLSearchParams([...kept, ...set]));
  return search === '' ? '' : `?${search}`;
}
