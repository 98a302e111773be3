import { HorariumError } from '../errors.ts';

const meanings: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** Reads `true`, `false`, `1`, `0`, `yes` or `no` in either case; undefined for anything else. */
export function yesOrNo(given: string): boolean | undefined {
  return meanings.get(given.toLowerCase());
}

/** @throws HorariumError `bad_request` naming the parameter that is neither true nor false. */
export function parseBoolean(name: string, given: string): boolean {
  const meant = yesOrNo(given);
  if (meant === undefined) throw new HorariumError('bad_request', `${name} must be true or false, not "${given}".`);
  return meant;
}

/**
 * Reads an id from a path or a query.
 * @throws HorariumError `bad_request` for anything but a positive whole number without leading zeros.
 */
export function parseId(name: string, given: string): number {
  const id = Number(given);
  if (!/^[1-9]\d{0,15}$/.test(given) || !Number.isSafeInteger(id))
    throw new HorariumError('bad_request', `${name} must be a positive whole number, not "${given}".`);
  return id;
}

/**
 * Reads ids with commas between them.
 * @param max how many there may be.
 * @throws HorariumError `bad_request` for more, or as `parseId`.
 */
export function parseIds(name: string, given: string, max: number): number[] {
  const ids = given.split(',');
  if (ids.length > max) throw new HorariumError('bad_request', `${name} takes at most ${max} values.`);
  return ids.map((id) => parseId(name, id));
}
