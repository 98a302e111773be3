import { utf8Size } from '../bytes/utf8-size.ts';
import type { FieldError } from '../errors.ts';

/**
 * The maximum of the secrets of one record, and of one attempt, in bytes of UTF-8: everything that an
 * attempt says is searched for all forms of all its secrets.
 */
const maxSecretsSize = 64 * 1024;

/** How many bytes a secret counts at least, because the forms of each take time, however short they are. */
const minSecretSize = 64;

/** A secret at a place of a record. */
export interface PlacedSecret {
  readonly field: string;
  readonly plain: string;
}

/** Returns a sentence that says that secrets count too many bytes; null where they do not. */
export function excessOfSecrets(secrets: readonly string[]): string | null {
  const size = secrets.reduce((sum, secret) => sum + secretSize(secret), 0);
  if (size <= maxSecretsSize) return null;
  return `its secrets have ${size} bytes in all, where a shorter one counts as ${minSecretSize}; at most ${maxSecretsSize} are allowed`;
}

/**
 * Checks the size of the secrets that a record has after a change.
 * @param kept decrypt those that the change leaves as they are; no more of them are called than needed.
 * @returns the error of the first changed secret with which they are too large; none where they are not. A record that
 *   was too large before may be changed otherwise.
 */
export function excessErrors(kept: readonly (() => string)[], changed: readonly PlacedSecret[]): FieldError[] {
  if (changed.length === 0) return [];
  let size = 0;
  for (const decrypt of kept) {
    size += secretSize(decrypt());
    if (size > maxSecretsSize) break;
  }
  const first = changed.find(({ plain }) => {
    size += secretSize(plain);
    return size > maxSecretsSize;
  });
  if (!first) return [];
  const { field } = first;
  const bound = `at most ${maxSecretsSize} bytes are allowed together, and each counts ${minSecretSize} at least`;
  return [{ field, message: `${field} makes the secrets too large: ${bound}` }];
}

function secretSize(secret: string): number {
  return Math.max(utf8Size(secret), minSecretSize);
}
