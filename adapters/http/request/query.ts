import { badRequest, didYouMean, parseBoolean, type QueryParameters } from '@horarium/core';

const empty: QueryParameters = new Map();

/** @throws HttpProblem `bad_request` for a parameter that is repeated. */
export function readQuery(search: string): QueryParameters {
  if (search === '') return empty;
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (query.has(name)) throw badRequest(`The query parameter ${name} is given more than once.`);
    query.set(name, withPlus(value));
  }
  return query;
}

/** The plus of a time's offset that was not encoded comes as a space: `2026-11-21T05:00:00+01:00`. */
function withPlus(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d[Tt][\d:.]+) (\d\d:\d\d)$/, '$1+$2');
}

/** @throws HttpProblem `bad_request` naming a parameter that the endpoint does not know. */
export function refuseUnknown(query: QueryParameters, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue;
    const words = known.length > 0 ? `it knows ${known.join(', ')}` : 'it knows none';
    throw badRequest(`There is no query parameter ${name} here; ${words}.${didYouMean(name, known)}`);
  }
}

/** A yes or no of the query: `true`, `false`, `1`, `0`, `yes` or `no`. */
export function yesOrNo(query: QueryParameters, name: string, missing: boolean): boolean {
  const given = query.get(name);
  return given === undefined ? missing : parseBoolean(name, given);
}
