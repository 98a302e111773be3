import { badRequest, didYouMean, parseBoolean, type QueryParameters } from '@horarium/core';

const empty: QueryParameters = new Map();

/** @throws HorariumError `bad_request` for a parameter that is repeated. */
export function readQuery(search: string): QueryParameters {
  if (search === '') return empty;
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (query.has(name)) throw badRequest(`The query parameter ${name} is given more than once.`);
    query.set(name, restorePlus(value));
  }
  return query;
}

/** Restores the plus of a time's offset, which arrives as a space when it was not encoded: `2026-11-21T05:00:00+01:00`. */
function restorePlus(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d[Tt][\d:.]+) (\d\d:\d\d)$/, '$1+$2');
}

/** @throws HorariumError `bad_request` naming a parameter that the endpoint does not accept. */
export function rejectUnknownParameters(query: QueryParameters, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue;
    const list = known.length > 0 ? `it accepts ${known.join(', ')}` : 'it accepts none';
    throw badRequest(`There is no query parameter ${name} here; ${list}.${didYouMean(name, known)}`);
  }
}

/**
 * Reads a flag of the query: `true`, `false`, `1`, `0`, `yes` or `no`.
 * @throws HorariumError `bad_request` for anything else.
 */
export function readFlag(query: QueryParameters, name: string, fallback: boolean): boolean {
  const value = query.get(name);
  return value === undefined ? fallback : parseBoolean(name, value);
}

/**
 * Writes the query with some parameters set and, where they are null, removed. Leaves the paging out, because another
 * list begins on its first page.
 */
export function changedSearch(query: QueryParameters, changes: Readonly<Record<string, string | null>>): string {
  const unchanged = [...query].filter(([name]) => name !== 'after' && name !== 'offset' && !(name in changes));
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  const search = String(new URLSearchParams([...unchanged, ...set]));
  return search === '' ? '' : `?${search}`;
}
