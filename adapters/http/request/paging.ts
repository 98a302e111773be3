import type { QueryParameters } from '@horarium/core';

/** Lists are counted exactly up to here. */
const mostCounted = 10_000;
/** How far to count, so that more than are counted exactly are told from exactly so many. */
export const countUpTo = mostCounted + 1;

/** Whether a list is asked for in one piece: `limit=all`. */
export function wantsAll(query: QueryParameters): boolean {
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
export function changedSearch(query: QueryParameters, changes: Readonly<Record<string, string | null>>): string {
  const kept = [...query].filter(([name]) => name !== 'after' && name !== 'offset' && !(name in changes));
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  const search = String(new URLSearchParams([...kept, ...set]));
  return search === '' ? '' : `?${search}`;
}
