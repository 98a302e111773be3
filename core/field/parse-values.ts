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
export function yesOrNo(text: string): boolean | undefined {
  return meanings.get(text.toLowerCase());
}

/** @throws HorariumError `bad_request` naming the parameter that is neither true nor false. */
export function parseBoolean(name: string, text: string): boolean {
  const meant = yesOrNo(text);
  if (meant === undefined) throw new HorariumError('bad_request', `${name} must be true or false, not "${text}".`);
  return meant;
}

/**
 * Reads an id from a path or a query.
 * @throws HorariumError `bad_request` for anything but a positive whole number without leading zeros.
 */
export function parseId(name: string, text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id))
    throw new HorariumError('bad_request', `${name} must be a positive whole number, not "${text}".`);
  return id;
}

/**
 * Reads ids with commas between them.
 * @param max how many there may be.
 * @throws HorariumError `bad_request` for more, or as `parseId`.
 */
export function parseIds(name: string, text: string, max: number): number[] {
  const ids = text.split(',');
  if (ids.length > max) throw new HorariumError('bad_request', `${name} takes at most ${max} values.`);
  return ids.map((id) => parseId(name, id));
}
