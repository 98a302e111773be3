import type { Tables } from '../store/store.ts';

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

/** Whether a value is a secret that is too short to be masked in output; a blank one is no secret. */
export function isShortSecret(value: string): boolean {
  return value.trim() !== '' && isTooShortToMask(value);
}

/** How many fields a warning names. */
const maxNamed = 5;

/** Warns the caller of the secrets in these fields, which are too short to be masked in output. */
export function warnOfShortSecrets(tables: Pick<Tables, 'warn'>, fields: readonly string[]): void {
  const more = fields.length - maxNamed;
  const names = more > 0 ? [...fields.slice(0, maxNamed), `${more} more`] : fields;
  const list = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
  const [verb, subject, object] = names.length === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them'];
  const consequence = `${subject} encrypted, but not masked where a job prints ${object}`;
  if (fields.length > 0) tables.warn(`${list} ${verb} shorter than ${minMaskedLength} characters: ${consequence}.`);
}
