import { utf8Size } from '../bytes/utf8-size.ts';

/** Matches `{KEY}` and `${KEY}`. The text before a placeholder cannot begin another one, so scanning is linear. */
const placeholder = /\$?\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns what stands in for the placeholder of a key; undefined = the placeholder stays as it is. */
export type Replacement<T> = (key: string) => T | undefined;

/** Whether a value holds a placeholder, `{KEY}` or `${KEY}`, which may be replaced when a job starts. */
export function hasPlaceholder(value: string): boolean {
  return value.search(placeholder) !== -1;
}

/** Lists the keys whose placeholders a text holds, in their order. */
export function placeholderKeys(text: string): string[] {
  return Array.from(text.matchAll(placeholder), ([, key]) => key as string);
}

/** Replaces the placeholders of a text in one pass: replaced text is not scanned again. */
export function replacePlaceholders(text: string, replacement: Replacement<string>): string {
  return text.replace(placeholder, (whole, key: string) => replacement(key) ?? whole);
}

/**
 * Returns how many bytes of UTF-8 `replacePlaceholders` would return, without building the text.
 * @param sizeOf returns how many bytes stand in for the placeholder of a key.
 */
export function replacedSize(text: string, sizeOf: Replacement<number>): number {
  let size = utf8Size(text);
  for (const [whole, key] of text.matchAll(placeholder)) size += (sizeOf(key as string) ?? whole.length) - whole.length;
  return size;
}
