import { utf8Size } from '../bytes/utf8-size.ts';
import type { Replaced } from './layered-environment.ts';

/** The maximum of one `KEY=value` or argument, in bytes: Linux allows 128 KiB with the byte that ends it. */
export const maxPart = 131_071;
/** The maximum of the environment, the arguments and the executable together, in bytes. */
export const maxTotal = 1_048_576;

interface Part {
  readonly name: string;
  readonly size: number;
}

/**
 * Checks what an attempt would be given, before any of it is built.
 * @param sizes the sizes of values, without keys, and of arguments in bytes.
 * @returns a sentence naming the first part that is too large, or the largest one when all together are; null = none is.
 */
export function excessMessage(executable: string, sizes: Replaced<number>): string | null {
  const parts = partsOf(sizes);
  const oversized = parts.find(({ size }) => size > maxPart);
  if (oversized) return `${described(oversized)}; at most ${maxPart} are allowed`;
  const total = parts.reduce((sum, { size }) => sum + size, utf8Size(executable));
  if (total <= maxTotal) return null;
  const largest = parts.reduce((most, part) => (part.size > most.size ? part : most));
  return `environment and arguments have ${total} bytes together, at most ${maxTotal} are allowed; ${described(largest)}`;
}

function partsOf({ environment, arguments: args }: Replaced<number>): Part[] {
  const variables = Array.from(environment, ([key, size]) => ({
    name: `the variable ${key}`,
    size: utf8Size(key) + '='.length + size,
  }));
  return [...variables, ...args.map((size, index) => ({ name: `argument ${index + 1}`, size }))];
}

function described({ name, size }: Part): string {
  return `${name} has ${size} bytes`;
}
