import { placeholderKeys, replacePlaceholders } from '../app/placeholder.ts';

type Texts = Readonly<Record<string, string | undefined>>;

/**
 * Returns the part of a URL from which its origin is read, placeholders or not: all before the path. Slashes after the
 * scheme may be missing or too many, as URL parsers accept them.
 */
function authorityPart(url: string): string {
  return /^[^/?#\\]*[/\\]*[^/?#\\]*/.exec(url)?.[0] ?? '';
}

/** Returns scheme, host and port of a URL, as those who request it read them; its beginning where it is not complete. */
export function originOf(url: string): string {
  if (!URL.canParse(url)) return authorityPart(url);
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/**
 * Lists the variables that decide about the origin of a URL, by the placeholders in it and in their values.
 * @param values those that are saved; their own placeholders are replaced once.
 */
export function originVariables(url: string, ...values: readonly Texts[]): ReadonlySet<string> {
  const keys = placeholderKeys(authorityPart(url));
  const inner = values.flatMap((texts) => keys.flatMap((key) => placeholderKeys(ownText(texts, key) ?? '')));
  return new Set([...keys, ...inner]);
}

/** Returns the origin of a URL with the placeholders of these values replaced; others stay as they are. */
export function savedOrigin(url: string, values: Texts): string {
  const value = (key: string) => ownText(values, key);
  return originOf(replacePlaceholders(url, (key) => value(key) && replacePlaceholders(value(key) as string, value)));
}

/** Returns the value of a key, but no inherited property: a variable may be called `constructor`. */
function ownText(texts: Texts, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}
