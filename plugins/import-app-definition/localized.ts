/** A text in several languages: `{en: …, cs: …}`. */
export type Translated = Readonly<Record<string, string>>;

/** The translations of localized texts, by the path of the field: collected while a definition is read. */
export type Translations = Record<string, Translated>;

/** Returns the text in the main language, which the record stores, and adds all languages to `translations` under the path. */
export function readLocalized(value: string | Translated, path: string, translations: Translations): string {
  if (typeof value === 'string') return value;
  translations[path] = value;
  return value[mainLanguage(value)] as string;
}

/**
 * Returns the localized text that a record's text came from. A text that has changed since the import is returned
 * without its translations, which are out of date.
 */
export function writeLocalized(
  text: string,
  path: string,
  translations: Readonly<Record<string, Translated>>,
): string | Translated {
  const languages = Object.hasOwn(translations, path) ? translations[path] : undefined;
  return languages && languages[mainLanguage(languages)] === text ? languages : text;
}

/** Returns `en` where a text has it, else the alphabetically first language: stored JSON has lost the order of the file. */
function mainLanguage(languages: Translated): string {
  return 'en' in languages ? 'en' : (Object.keys(languages).sort()[0] as string);
}
