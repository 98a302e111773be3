import { badRequest } from './problems.ts';

/** The parameters after the question mark; each may be there once. */
export type Query = ReadonlyMap<string, string>;

const empty: Query = new Map();

/** @throws HttpProblem `bad_request` for a parameter that is repeated. */
export function readQuery(search: string): Query {
  if (search === '') return empty;
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (query.has(name)) throw badRequest(`The query parameter ${name} is given more than once.`);
    query.set(name, value);
  }
  return query;
}

/** @throws HttpProblem `bad_request` naming a parameter that the endpoint does not know. */
export function refuseUnknown(query: Query, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue;
    const words = known.length > 0 ? `it knows ${known.join(', ')}` : 'it knows none';
    throw badRequest(`There is no query parameter ${name} here; ${words}.`);
  }
}

/** A whole number of the query; undefined when it is not given. */
export function wholeNumber(query: Query, name: string): number | undefined {
  const given = query.get(name);
  if (given === undefined) return undefined;
  if (!/^\d{1,16}$/.test(given)) throw badRequest(`${name} must be a whole number, not "${given}".`);
  return Number(given);
}

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** A yes or no of the query: `true`, `false`, `1`, `0`, `yes` or `no`. */
export function yesOrNo(query: Query, name: string, missing: boolean): boolean {
  const given = query.get(name);
  if (given === undefined) return missing;
  const meant = words.get(given.toLowerCase());
  if (meant === undefined) throw badRequest(`${name} must be true or false, not "${given}".`);
  return meant;
}

/**
 * An id as it stands in a path, query or body.
 * @throws HttpProblem `bad_request` for anything but a positive whole number without leading zeros.
 */
export function readId(name: string, given: string): number {
  const id = Number(given);
  if (!/^[1-9]\d{0,15}$/.test(given) || !Number.isSafeInteger(id))
    throw badRequest(`${name} must be a positive whole number, not "${given}".`);
  return id;
}
