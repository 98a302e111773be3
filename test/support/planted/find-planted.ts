import { marker } from './planted-secrets.ts';

/** Something that somebody may see, and where. */
export type Seen = readonly [where: string, content: string | Uint8Array];

/** What base64 makes of a text, wherever in a longer one it stands: without what depends on its neighbours. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + text).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
  });
}

/** A text of letters and digits as it is, which is also how URLs, JSON, XML and HTML write it, in hex and in base64. */
export function formsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = inBase64(text);
  const url = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** Every place where a planted secret, or one of those texts, can be seen in any form, with what stands around it. */
export function findPlanted(seen: Iterable<Seen>, ...more: readonly string[]): string[] {
  const forms = [marker, ...more].flatMap(formsOf);
  return [...seen].flatMap(([where, content]) => {
    const bytes = Buffer.from(content);
    return forms.flatMap((form) => {
      const at = bytes.indexOf(form);
      return at < 0 ? [] : [`${where}: …${bytes.toString('latin1', Math.max(0, at - 80), at + form.length + 40)}…`];
    });
  });
}
