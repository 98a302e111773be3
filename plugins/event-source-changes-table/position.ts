/** How far a changes table was read. Keys are numbers of any size, as text. */
export interface Position {
  /** The key of the last row that was read; null = no row has been read. */
  readonly at: string | null;
  /** Larger keys that were seen, each with the time, both ascending. */
  readonly seen: readonly Sighting[];
}

/** The largest key of the table, and the time in milliseconds when it was that. */
type Sighting = readonly [key: string, time: number];

/** A key: an integer, or a number between two of them. */
const keyPattern = /^-?\d{1,65}(?:\.\d{1,30})?$/;

/** The number of sightings that are kept for the time that keys are waited for, so that a cursor stays short. */
const maxSightings = 8;

export function isKey(text: string): boolean {
  return keyPattern.test(text);
}

/** @throws Error when it is no cursor of a changes table. */
export function parsePosition(cursor: string | null): Position {
  if (cursor === null) return { at: null, seen: [] };
  const [at = '', ...sightings] = cursor.split(' ');
  const seen = sightings
    .map((each) => each.split('@') as [string, string])
    .map(([key, time]) => [key, Number(time)] as const);
  const isValid = (at === '-' || isKey(at)) && seen.every(([key, time]) => isKey(key) && Number.isSafeInteger(time));
  if (!isValid) throw new Error('its cursor is none of a changes table');
  return { at: at === '-' ? null : at, seen };
}

/** Writes a position as a cursor: `17`, or `17 20@1795450000000` where keys after it are waited for. */
export function writePosition({ at, seen }: Position): string | null {
  if (at === null && seen.length === 0) return null;
  return [at ?? '-', ...seen.map(([key, time]) => `${key}@${time}`)].join(' ');
}

/** The part of a key before its point: no key that is missing lies between it and the key. */
function whole(key: string): bigint {
  return BigInt(key.split('.')[0] as string);
}

/** Whether one key is larger than another, their parts after the point left aside. */
export function isAfter(one: string, other: string): boolean {
  return whole(one) > whole(other);
}

/**
 * Notes the largest key of the table, so that it is known later how long the keys below it have had time to be committed.
 * @param wait the milliseconds for which keys that are missing are waited for.
 */
export function sight({ at, seen }: Position, head: string | null, now: number, wait: number): Position {
  if (head === null || (at !== null && !isAfter(head, at))) return { at, seen };
  const last = seen.at(-1);
  const isNew = !last || (isAfter(head, last[0]) && now - last[1] >= wait / maxSightings);
  const all = isNew ? [...seen, [head, now] as const] : seen;
  const settled = all.findLastIndex(([, time]) => now - time >= wait);
  return { at, seen: settled > 0 ? all.slice(settled) : all };
}

/**
 * Counts the keys that can be read by now. Keys are given out in order but committed in any: a key after a missing one is
 * read only when the missing one has had the time `wait` to be committed, and was rolled back since.
 * @param keys those after the position, ascending.
 */
export function countReadable({ at, seen }: Position, keys: readonly string[], now: number, wait: number): number {
  const settled = seen.findLast(([, time]) => now - time >= wait)?.[0];
  let next = at === null ? 1n : whole(at) + 1n;
  let count = 0;
  for (const key of keys) {
    if (whole(key) > next && (settled === undefined || isAfter(key, settled))) break;
    next = whole(key) + 1n;
    count++;
  }
  return count;
}

/** The position after a key was read. */
export function advance({ seen }: Position, at: string): Position {
  return { at, seen: seen.filter(([key]) => isAfter(key, at)) };
}
