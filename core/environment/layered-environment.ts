import { type Replacement, replacedSize, replacePlaceholders } from '../app/placeholder.ts';
import { utf8Size } from '../bytes/utf8-size.ts';

/** The values of all layers of an environment, later ones over earlier ones, with their placeholders. */
export interface LayeredEnvironment {
  /** The keys whose placeholders are replaced. */
  readonly declaredKeys: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** The keys whose values are taken as they are. */
  readonly literalKeys: ReadonlySet<string>;
}

/** What an attempt is given, with placeholders replaced: texts, or their sizes. */
export interface Replaced<T> {
  readonly environment: ReadonlyMap<string, T>;
  readonly arguments: readonly T[];
}

/** What is made of each text: the text with its placeholders replaced, or only the size of that. */
export interface Replacing<T> {
  literal(text: string): T;
  replace(text: string, replacement: Replacement<T>): T;
  /** Stands in for a declared key without a value. */
  readonly empty: T;
}

export const texts: Replacing<string> = { literal: (text) => text, replace: replacePlaceholders, empty: '' };
/** Sizes in bytes of UTF-8, computed from those of the parts. */
export const sizes: Replacing<number> = { literal: utf8Size, replace: replacedSize, empty: 0 };

/**
 * Replaces the placeholders of declared keys, in one pass: those in values by the values as they were saved, those in
 * arguments by the values that the attempt is given.
 */
export function replaceAll<T>(
  args: readonly string[],
  { declaredKeys, values, literalKeys }: LayeredEnvironment,
  { literal, replace, empty }: Replacing<T>,
): Replaced<T> {
  const declared = (from: ReadonlyMap<string, T>): Replacement<T> => {
    return (key) => (declaredKeys.has(key) ? (from.get(key) ?? empty) : undefined);
  };
  const saved = new Map(Array.from(values, ([key, value]) => [key, literal(value)]));
  const given = new Map(
    Array.from(values, ([key, value]) => [
      key,
      literalKeys.has(key) ? literal(value) : replace(value, declared(saved)),
    ]),
  );
  return { environment: given, arguments: args.map((element) => replace(element, declared(given))) };
}
