/** A text in several languages: `{en: …, cs: …}`. */
export type Translated = Readonly<Record<string, string>>;

/** The languages of texts, by the path of the field: collected while a definition is read. */
export type Translations = Record<string, Translated>;

/** The text that a record stores of a localized one; its languages are added to `translations` under the path. */
export function readLocalized(value: string | Translated, path: string, translations: Translations): string {
  if (typeof value === 'string') return value;
  translations[path] = value;
  return value[mainLanguage(value)] as string;
}

/**
 * The localized text that a record's text came from. A text that was changed since is written without its
 * translations, which no longer translate it.
 */
export function writeLocalized(
  text: string,
  path: string,
  translations: Readonly<Record<string, Translated>>,
): string | Translated {
  const languages = Object.hasOwn(translations, path) ? translations[path] : undefined;
  return languages && languages[mainLanguage(languages)] === text ? languages : text;
}

/** English, else the first by the alphabet: stored JSON does not preserve the order of a file. */
function mainLanguage(languages: Translated): string {
  return 'en' in languages ? 'en' : (Object.keys(languages).sort()[0] as string);
}
