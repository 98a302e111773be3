import { mask } from './ciphertext.ts';

/** Lines of a secret of several lines are secrets of their own where they have at least so many characters. */
const minLine = 8;

/** Finds secrets in text. Where they overlap or touch, everything that they cover is found. */
class Finder {
  readonly maxLength: number;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= minLine));
    this.#secrets = [...new Set([...secrets, ...lines])].filter((secret) => secret.trim() !== '');
    this.maxLength = Math.max(0, ...this.#secrets.map((secret) => secret.length));
  }

  /** The start of the end of the text that may yet become a secret; the text's length when there is no such end. */
  unfinished(text: string): number {
    for (let at = Math.max(0, text.length - this.maxLength + 1); at < text.length; at++)
      if (this.#secrets.some((secret) => secret.length > text.length - at && secret.startsWith(text.slice(at))))
        return at;
    return text.length;
  }

  /** Returns `[start, end)` of each stretch to be hidden, in order; stretches that overlap are one. */
  find(text: string): [number, number][] {
    const found: [number, number][] = [];
    for (const secret of this.#secrets) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
        found.push([at, at + secret.length]);
    }
    return merge(found);
  }
}

function merge(found: [number, number][]): [number, number][] {
  found.sort(([one], [other]) => one - other);
  const merged: [number, number][] = [];
  for (const [start, end] of found) {
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
 * Redacts text that comes in pieces, also where a piece ends in the middle of a secret. It keeps back only an end that
 * may yet become a secret, so that output is seen at once; `end` returns what is left.
 */
export class Redactor {
  readonly #finder: Finder;
  readonly #mask: string;
  #pending = '';
  /** So many characters at the start of what is pending belong to a secret whose mask was returned already. */
  #covered = 0;

  constructor(secrets: readonly string[], hidden: string = mask) {
    this.#finder = new Finder(secrets);
    this.#mask = hidden;
  }

  next(piece: string): string {
    if (this.#finder.maxLength === 0) return piece;
    const text = this.#pending + piece;
    return this.#take(text, this.#finder.unfinished(text));
  }

  end(): string {
    return this.#take(this.#pending, this.#pending.length);
  }

  /** Redacts the text up to `until`; the rest becomes pending. */
  #take(text: string, until: number): string {
    let redacted = '';
    let at = Math.min(this.#covered, until);
    let covered = this.#covered;
    for (const [start, end] of this.#finder.find(text)) {
      if (start >= until) break;
      if (start >= covered) redacted += text.slice(at, start) + this.#mask;
      covered = Math.max(covered, end);
      at = Math.min(covered, until);
    }
    redacted += text.slice(at, until);
    this.#pending = text.slice(until);
    this.#covered = Math.max(0, covered - until);
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

/** One character for each byte, with its number. */
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
