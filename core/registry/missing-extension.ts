import { hintAfter } from './did-you-mean.ts';

/** Says that no loaded plugin provides something of this name, and which was probably meant or which there are. */
export function missingExtension(kind: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const others = names.length > 0 ? `; there are ${names.join(', ')}` : '';
  return `no loaded plugin provides the ${kind} ${name}${hintAfter(name, names) || others}`;
}

/** Extensions by name: a registry of plugins, or a Map. */
export interface ByName<T> {
  get(name: string): T | undefined;
  keys(): Iterable<string>;
}
