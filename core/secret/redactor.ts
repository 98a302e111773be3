import { mask } from './ciphertext.ts';

/** The minimum length at which a line of a secret of several lines is a secret of its own. */
const minLineLength = 8;

/** Finds secrets in text, and everything that they cover where they overlap or touch. */
class Finder {
  readonly maxLength: number;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= minLineLength));
    this.#secrets = [...new Set([...secrets, ...lines])].filter((secret) => secret.trim() !== '');
    this.maxLength = Math.max(0, ...this.#secrets.map((secret) => secret.length));
  }

  /**
   * Returns where the tail begins that further text may complete to a secret; the text's length when there is no such
   * tail.
   */
  unfinished(text: string): number {
    for (let at = Math.max(0, text.length - this.maxLength + 1); at < text.length; at++)
      if (this.#secrets.some((secret) => secret.length > text.length - at && secret.startsWith(text.slice(at))))
        return at;
    return text.length;
  }

  /** Returns `[start, end)` of each stretch to mask, in order; overlapping stretches are one. */
  find(text: string): [number, number][] {
    const stretches: [number, number][] = [];
    for (const secret of this.#secrets) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
        stretches.push([at, at + secret.length]);
    }
    return merge(stretches);
  }
}

function merge(stretches: [number, number][]): [number, number][] {
  stretches.sort(([startA], [startB]) => startA - startB);
  const merged: [number, number][] = [];
  for (const [start, end] of stretches) {
    const last = merged.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Replaces every secret in a text by the mask. */
export function redact(text: string, secrets: readonly string[]): string {
  const redactor = new Redactor(secrets);
  return redactor.next(text) + redactor.end();
}

/**
 * Redacts text that comes in pieces, also where a piece ends in the middle of a secret. It holds back only a tail that
 * further text may complete to a secret, so that output is seen at once; `end` returns that tail.
 */
export class Redactor {
  readonly #finder: Finder;
  readonly #mask: string;
  #pending = '';
  /** The number of pending characters that belong to a secret whose mask was returned already. */
  #masked = 0;

  constructor(secrets: readonly string[], replacement: string = mask) {
    this.#finder = new Finder(secrets);
    this.#mask = replacement;
  }

  next(piece: string): string {
    if (this.#finder.maxLength === 0) return piece;
    const text = this.#pending + piece;
    return this.#take(text, this.#finder.unfinished(text));
  }

  end(): string {
    return this.#take(this.#pending, this.#pending.length);
  }

  /**
   * Redacts the text up to `until`; the rest becomes pending. A secret that begins before `until` is masked at once, also
   * where it ends behind it. With the secrets `abc` and `cde`, the text `abc` becomes the mask, and its `c`, which may
   * begin the other secret, is pending though masked: if `de!` follows, the same mask stands for both, and only `!` is
   * added.
   */
  #take(text: string, until: number): string {
    let redacted = '';
    let maskedUntil = this.#masked;
    for (const [start, end] of this.#finder.find(text)) {
      if (start >= until) break;
      if (start >= maskedUntil) redacted += text.slice(maskedUntil, start) + this.#mask;
      maskedUntil = Math.max(maskedUntil, end);
    }
    redacted += text.slice(maskedUntil, until);
    this.#pending = text.slice(until);
    this.#masked = Math.max(0, maskedUntil - until);
    return redacted;
  }
}

/** Redacts bytes of any encoding that come in pieces: it searches for secrets as UTF-8. */
export class ByteRedactor {
  readonly #redactor: Redactor | undefined;

  constructor(secrets: readonly string[]) {
    this.#redactor = secrets.length === 0 ? undefined : new Redactor(secrets.map(byteText), byteText(mask));
  }

  next(bytes: Uint8Array): Uint8Array {
    return this.#redactor ? bytesOf(this.#redactor.next(textOf(bytes))) : bytes;
  }

  end(): Uint8Array {
    return this.#redactor ? bytesOf(this.#redactor.end()) : new Uint8Array();
  }
}

function byteText(text: string): string {
  return textOf(new TextEncoder().encode(text));
}

/** Converts bytes to text with one character for each byte. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
