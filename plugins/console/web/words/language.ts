import { isolating } from './direction.ts';
import type { Words } from './en.ts';

type LoadWords = () => Promise<Words>;
const english: LoadWords = async () => (await import('./en.ts')).en;
/** The languages of the pages: another one is another file here. A page loads the one that is chosen, and no other. */
const languages: Readonly<Record<string, LoadWords>> = {
  en: english,
  cs: async () => (await import('./cs.ts')).cs,
};

const storageKey = 'horarium.language';

/** The languages that can be chosen, each under its own name. */
export const languageNames = Object.keys(languages).map((code) => [code, nameOf(code)] as const);

/** The words that the page begins with. It runs this module first, so that they arrive beside its other modules. */
export const firstWords: Promise<Words> = loadWords(preferredLanguage());

/** Loads the words of a language. */
export async function loadWords(code: string): Promise<Words> {
  return isolating(await (languages[code] ?? english)());
}

/** Keeps in this browser which language is chosen. */
export function keepLanguage(code: string): void {
  localStorage.setItem(storageKey, code);
}

function preferredLanguage(): string {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages];
  return wanted.map((code) => code.slice(0, 2)).find((code) => Object.hasOwn(languages, code)) ?? 'en';
}

function nameOf(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
