import { mask } from '@horarium/core';

/** Replaces every stretch of bytes that some of the forms cover by one mask, by comparing each form at each place. */
export function redactNaively(bytes: Buffer, forms: readonly Buffer[]): Buffer {
  const stretches: [number, number][] = [];
  for (const form of forms)
    for (let at = 0; at + form.length <= bytes.length; at++)
      if (bytes.subarray(at, at + form.length).equals(form)) stretches.push([at, at + form.length]);
  stretches.sort(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [start, end] of stretches) {
    const last = joined.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  const pieces: Buffer[] = [];
  let at = 0;
  for (const [start, end] of joined) {
    pieces.push(bytes.subarray(at, start), Buffer.from(mask));
    at = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}
