import type { ByteString } from './secret-forms.ts';

/** How many bytes are looked up at once. No encoded form of a secret that is masked is shorter. */
export const windowSize = 6;
/** One of so many bits is set for each byte of the texts, so that few windows are taken for others. */
const bitsPerByte = 64;

const threeBytes = 0xffffff;

const encoder = new TextEncoder();

/** Every stretch of six bytes in some texts, by a hash: it tells in constant time which strings do not occur in them. */
export class TextWindows {
  readonly #bits: Uint32Array;
  readonly #mask: number;

  constructor(texts: readonly string[]) {
    const encoded = texts.map((text) => encoder.encode(text));
    const size = encoded.reduce((sum, { length }) => sum + length, 1);
    const bits = 2 ** Math.min(30, Math.ceil(Math.log2(size * bitsPerByte)));
    this.#bits = new Uint32Array(Math.max(1, bits / 32));
    this.#mask = bits - 1;
    for (const bytes of encoded) this.#add(bytes);
  }

  /** Whether a string of at least six bytes may occur in the texts, judged by the first of them. */
  mayContain(string: ByteString): boolean {
    let [first, second] = [0, 0];
    for (let at = 0; at < windowSize; at++) {
      first = ((first << 8) | (second >>> 16)) & threeBytes;
      second = ((second << 8) | string.charCodeAt(at)) & threeBytes;
    }
    const place = this.#placeOf(first, second);
    return (((this.#bits[place >>> 5] as number) >>> (place & 31)) & 1) === 1;
  }

  #add(bytes: Uint8Array): void {
    let [first, second] = [0, 0];
    for (let at = 0; at < bytes.length; at++) {
      first = ((first << 8) | (second >>> 16)) & threeBytes;
      second = ((second << 8) | (bytes[at] as number)) & threeBytes;
      if (at + 1 < windowSize) continue;
      const place = this.#placeOf(first, second);
      this.#bits[place >>> 5] = (this.#bits[place >>> 5] as number) | (1 << (place & 31));
    }
  }

  /** @param first the first three bytes of a window @param second the other three */
  #placeOf(first: number, second: number): number {
    const hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second + 1, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}
