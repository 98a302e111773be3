import { computed, effect, signal } from '@preact/signals';
import type { Words } from './en.ts';
import { firstWords, keepLanguage, loadWords } from './language.ts';

/** The words of the language that is shown. Modules that have words wait for them, so that nothing is painted before. */
export const words = signal<Words>(await firstWords);

/** The code of that language. */
export const language = computed(() => words.value.code);

/** The language of what the service itself says, on pages in another one: these tell screen readers to read it so. */
export const serviceLanguage = computed(() => (language.value === 'en' ? undefined : 'en'));

/** The language of cron patterns in words, where it is another one than that of the pages. */
export const cronLang = computed(() => {
  const { code, cronLanguage } = words.value;
  return cronLanguage === code ? undefined : cronLanguage;
});

/** Tells the browser, and with it screen readers, in which language the page is. */
export function startLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

/** The code of the language that was chosen last. */
let chosen = words.value.code;

/** Writes a clause as the beginning of a sentence. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = text;
  return first.toLocaleUpperCase(words.value.code) + rest.join('');
}

/** Chooses a language for this browser. It is shown when its words are loaded, unless another one was chosen meanwhile. */
export async function chooseLanguage(code: string): Promise<void> {
  chosen = code;
  const loaded = await loadWords(code);
  if (code !== chosen) return;
  keepLanguage(code);
  words.value = loaded;
}
