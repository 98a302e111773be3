/**
 * The number of characters from which on a secret of a job is masked in what the job says. A shorter one would mask
 * ordinary words, and whoever may write to the output could find it by trying all values.
 */
const minMaskedLength = 6;

/** Whether a secret is too short to be masked in output. */
export function isTooShortToMask(secret: string): boolean {
  // A character takes at most two UTF-16 code units, so that the beginning of a long text decides.
  return [...secret.slice(0, 2 * minMaskedLength)].length < minMaskedLength;
}
