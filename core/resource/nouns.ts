import type { AnyResource } from './define-resource.ts';

/** What people call a kind of record. */
export interface Nouns {
  /** One of them, with its article: `a run template`. */
  readonly one: string;
  /** The same without the article: `run template`. */
  readonly noun: string;
  readonly many: string;
}

/** Returns what people call a kind of record: what the resource says, or else the words of its names. */
export function nounsOf({ name, names }: Pick<AnyResource, 'name' | 'names'>): Nouns {
  const [noun, many] = names.nouns ?? wordsOf(name, names.plural);
  return { one: `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`, noun, many };
}

/** Divides `RunTemplate` and `runtemplates` into words: `run template`, `run templates`. */
function wordsOf(name: string, plural: string): readonly [string, string] {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  const former = words.slice(0, words.lastIndexOf(' ') + 1);
  const last = plural.replaceAll(/[_-]/g, '').slice(former.replaceAll(' ', '').length);
  return [words, `${former}${last}`];
}
