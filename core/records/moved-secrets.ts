import type { FieldError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import type { Fields } from '../field/field-meta.ts';
import { pathText, type ValuePath, valueAt } from '../field/value-path.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { completeOptions, type Options } from './plugin-options.ts';

/** What a plugin says of options that lead to an address. */
export interface AddressedOptions {
  readonly options: Fields;
  /** The options that together say where the others are sent. @default they are bound to no address */
  readonly address?: readonly string[];
}

/** Lists the options of the address that differ from the stored ones, as every secret of the input does. */
export function movedAddress({ options, address = [] }: AddressedOptions, given: Options, stored: Options): string[] {
  const [now, before] = [completeOptions(options, given), completeOptions(options, stored)];
  return address.filter((name) => canonicalJson(now[name]) !== canonicalJson(before[name]));
}

/**
 * Returns an error for each secret that is kept as it is stored although it would go to another address than the one that
 * it was saved for.
 * @param secrets their paths in the data.
 * @param moved names what leads to the other address; none = it is the same.
 * @param at the place of the data in its record.
 */
export function movedSecretErrors(
  data: object,
  secrets: readonly ValuePath[],
  moved: readonly string[],
  at: ValuePath = [],
): FieldError[] {
  if (moved.length === 0) return [];
  const kept = secrets.filter((path) => isCiphertext(valueAt(data, path))).map((path) => pathText([...at, ...path]));
  const reason = `must be sent again with ${moved.join(', ')}, because it was saved for another address`;
  return kept.map((field) => ({ field, message: `${field} ${reason}` }));
}
