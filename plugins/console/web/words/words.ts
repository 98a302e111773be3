import { computed, signal } from '@preact/signals';
import { cs } from './cs.ts';
import { en, type Words } from './en.ts';

/** The languages of the pages: another one is another file here. */
const languages: Readonly<Record<string, Words>> = { en, cs };

const storageKey = 'horarium.language';

/** The code of the language that is shown. */
export const language = signal(preferredLanguage());

/** The words of that language. */
export const words = computed<Words>(() => languages[language.value] ?? en);

/** The languages that can be chosen, each under its own name. */
export const languageNames: readonly (readonly [code: string, name: string])[] = Object.entries(languages).map(
  ([code, { languageName }]) => [code, languageName],
);

/** Writes a clause as the beginning of a sentence. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = text;
  return first.toLocaleUpperCase(words.value.code) + rest.join('');
}

/** Chooses a language for this browser. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(storageKey, code);
  language.value = code;
}

function preferredLanguage(): string {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages];
  return wanted.map((code) => code.slice(0, 2)).find((code) => Object.hasOwn(languages, code)) ?? 'en';
}
