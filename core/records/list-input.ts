import { badRequest } from '../errors.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Condition } from '../store/query.ts';
import { day } from '../time/duration.ts';
import { formatInstant, isInstant, nearestInstant, parseInstant } from '../time/instant.ts';
import { zoneNamed } from '../time/zone.ts';
import { filterableFields, type ListQuery } from './list-query.ts';

/** The parameters of a list as texts: those of a URL's query, or a command's options. */
export type ListParameters = ReadonlyMap<string, string>;

export const pageParameters: readonly string[] = ['limit', 'offset', 'after', 'order'];

/** Lists the names of the parameters that a list of the resource accepts. */
export function listParameters(resource: AnyResource): string[] {
  const fields = filterableFields(resource).map((field) => field.name);
  const period = resource.period ? ['from', 'to'] : [];
  return [...new Set([...pageParameters, ...fields, ...period])];
}

/** Reads the parameters of a list. @throws HorariumError `bad_request` naming the invalid parameter. */
export function readListInput(resource: AnyResource, parameters: ListParameters, timezone: string): ListQuery {
  const fields = new Set(filterableFields(resource).map((field) => field.name));
  const limit = readWholeNumber(parameters, 'limit');
  const offset = readWholeNumber(parameters, 'offset');
  const after = parameters.get('after');
  const order = parameters.get('order');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(after === undefined ? {} : { after }),
    ...(order === undefined ? {} : { order }),
    filters: Object.fromEntries([...parameters].filter(([name]) => fields.has(name) && !pageParameters.includes(name))),
    where: periodConditions(resource.period, parameters, timezone),
  };
}

/** The conditions for `from` and `to`, both inclusive. */
function periodConditions(field: string | undefined, parameters: ListParameters, timezone: string): Condition[] {
  if (field === undefined) return [];
  const from = parameters.get('from');
  const to = parameters.get('to');
  return [
    ...(from === undefined ? [] : [[field, '>=', readTimeBound('from', from, timezone)] as const]),
    ...(to === undefined ? [] : [[field, '<=', readTimeBound('to', to, timezone)] as const]),
  ];
}

/**
 * Reads one end of a range of time: a time, or a date in the service's time zone.
 * @param edge whether a date stands for its first or its last millisecond.
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

/**
 * Reads a whole number; undefined when the parameter is missing.
 * @throws HorariumError `bad_request` for anything else.
 */
export function readWholeNumber(parameters: ListParameters, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(number))
    throw badRequest(`${name} must be a whole number, not "${text}".`);
  return number;
}

/** Reads the zone of the reader, which is checked where it is used; nothing when the parameter is missing. */
export function readTimezone(parameters: ListParameters): { readonly timezone?: string } {
  const timezone = parameters.get('timezone');
  return timezone === undefined ? {} : { timezone };
}
