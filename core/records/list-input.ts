import { badRequest } from '../errors.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Term } from '../store/query.ts';
import { formatInstant, isInstant, nearestInstant, parseInstant } from '../time/instant.ts';
import { zoneNamed } from '../time/zone.ts';
import { filterableFields, type ListQuery } from './list-query.ts';

/** The parameters of a list as texts: those of a URL's query, or a command's options. */
export type ListParameters = ReadonlyMap<string, string>;

export const pageParameters: readonly string[] = ['limit', 'offset', 'after', 'order'];

/** The names of the parameters that a list knows. */
export function listParameters(resource: AnyResource): string[] {
  const fields = filterableFields(resource).map((field) => field.name);
  const range = resource.period ? ['from', 'to'] : [];
  return [...new Set([...pageParameters, ...fields, ...range])];
}

/** @throws HorariumError `bad_request` naming the parameter that is wrong. */
export function readListInput(resource: AnyResource, given: ListParameters, timezone: string): ListQuery {
  const fields = new Set(filterableFields(resource).map((field) => field.name));
  const limit = readWholeNumber(given, 'limit');
  const offset = readWholeNumber(given, 'offset');
  const after = given.get('after');
  const order = given.get('order');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(after === undefined ? {} : { after }),
    ...(order === undefined ? {} : { order }),
    filters: Object.fromEntries([...given].filter(([name]) => fields.has(name) && !pageParameters.includes(name))),
    where: range(resource.period, given, timezone),
  };
}

/** `from` and `to`, both inclusive. */
function range(field: string | undefined, given: ListParameters, timezone: string): Term[] {
  if (field === undefined) return [];
  const from = given.get('from');
  const to = given.get('to');
  return [
    ...(from === undefined ? [] : [[field, '>=', readTimeBound('from', from, timezone)] as const]),
    ...(to === undefined ? [] : [[field, '<=', readTimeBound('to', to, timezone)] as const]),
  ];
}

const day = 86_400_000;

/**
 * One end of a range of time: a time, or a date in the service's time zone, which means its first moment as `from` and
 * its last as `to`, unless `edge` says otherwise.
 * @throws HorariumError `bad_request` naming the parameter.
 */
export function readTimeBound(
  name: 'from' | 'to',
  text: string,
  timezone: string,
  edge: 'first' | 'last' = name === 'from' ? 'first' : 'last',
): number {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : null;
  if (midnight !== null) {
    if (!isInstant(midnight) || !formatInstant(midnight).startsWith(text))
      throw badRequest(`${name} ${text} is not an existing date.`);
    const zone = zoneNamed(timezone);
    return nearestInstant(edge === 'first' ? zone.reach(midnight) : zone.reach(midnight + day) - 1);
  }
  try {
    return parseInstant(text);
  } catch (error) {
    throw badRequest(`${name} ${(error as Error).message}, or a date.`);
  }
}

/** @returns undefined when it is not given. @throws HorariumError `bad_request` for anything but a whole number. */
export function readWholeNumber(given: ListParameters, name: string): number | undefined {
  const text = given.get(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(number))
    throw badRequest(`${name} must be a whole number, not "${text}".`);
  return number;
}
