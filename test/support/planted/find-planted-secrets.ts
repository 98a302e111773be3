import { marker } from './planted-secrets.ts';

/** A text or file that users can read, and where they find it. */
export type Exposure = readonly [where: string, content: string | Uint8Array];

/** Encodes a text in base64 at each of the three offsets in a longer text, without the characters that depend on its neighbours. */
function base64Encodings(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + text).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
  });
}

/** Returns the encodings of a text of letters and digits: plain, which is also that of URLs, JSON, XML and HTML, hex and base64. */
export function encodingsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = base64Encodings(text);
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** Finds planted secrets, and further texts, in any encoding. @returns each place with the text around it. */
export function findPlantedSecrets(exposures: Iterable<Exposure>, ...furtherTexts: readonly string[]): string[] {
  const encodings = [marker, ...furtherTexts].flatMap(encodingsOf);
  return [...exposures].flatMap(([where, content]) => {
    const bytes = Buffer.from(content);
    return encodings.flatMap((encoding) => {
      const position = bytes.indexOf(encoding);
      return position < 0
        ? []
        : [`${where}: …${bytes.toString('latin1', Math.max(0, position - 80), position + encoding.length + 40)}…`];
    });
  });
}
