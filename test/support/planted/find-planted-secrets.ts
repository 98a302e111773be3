import { marker } from './planted-secrets.ts';

/** A text that a user may see, and where it is shown. */
export type Exposure = readonly [where: string, content: string | Uint8Array];

/** The base64 forms of a text at each offset in a longer one, without the characters that depend on its neighbours. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + text).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
  });
}

/** The forms of a text of letters and digits: plain, as URLs, JSON, XML and HTML write it too, in hex and in base64. */
export function encodingsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = inBase64(text);
  const url = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** Finds every text that shows a planted secret, or one of the given texts, in any form, with its context. */
export function findPlantedSecrets(seen: Iterable<Exposure>, ...more: readonly string[]): string[] {
  const forms = [marker, ...more].flatMap(encodingsOf);
  return [...seen].flatMap(([where, content]) => {
    const bytes = Buffer.from(content);
    return forms.flatMap((form) => {
      const at = bytes.indexOf(form);
      return at < 0 ? [] : [`${where}: …${bytes.toString('latin1', Math.max(0, at - 80), at + form.length + 40)}…`];
    });
  });
}
