import { mask } from './ciphertext.ts';

/** The lines of a secret of several lines are secrets of their own where they are at least this long. */
const shortestLine = 8;

/** Finds secrets in text. Where they overlap or touch, all that they cover is found. */
class Finder {
  readonly longest: number;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= shortestLine));
    this.#secrets = [...new Set([...secrets, ...lines])].filter((secret) => secret.trim() !== '');
    this.longest = Math.max(0, ...this.#secrets.map((secret) => secret.length));
  }

  /** Where the end of the text begins that may yet become a secret; its length when it cannot. */
  unfinished(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++)
      if (this.#secrets.some((secret) => secret.length > text.length - at && secret.startsWith(text.slice(at))))
        return at;
    return text.length;
  }

  /** `[start, end)` of what is to be hidden, in order; those that overlap are one. */
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

/** The same text with every secret in it replaced by the mask. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const masker = new SecretMasker(secrets);
  return masker.next(text) + masker.end();
}

/**
 * Hides secrets in text that comes in pieces, also where a piece ends in the middle of one. An end that may yet become
 * a secret is held back, and nothing else, so that what is written is seen at once; `end` gives what is left.
 */
export class SecretMasker {
  readonly #finder: Finder;
  readonly #mask: string;
  #held = '';
  /** So many characters at the start of what is held belong to a secret whose mask was given already. */
  #covered = 0;

  constructor(secrets: readonly string[], hidden: string = mask) {
    this.#finder = new Finder(secrets);
    this.#mask = hidden;
  }

  next(piece: string): string {
    if (this.#finder.longest === 0) return piece;
    const text = this.#held + piece;
    return this.#give(text, this.#finder.unfinished(text));
  }

  end(): string {
    return this.#give(this.#held, this.#held.length);
  }

  #give(text: string, until: number): string {
    let given = '';
    let at = Math.min(this.#covered, until);
    let covered = this.#covered;
    for (const [start, end] of this.#finder.find(text)) {
      if (start >= until) break;
      if (start >= covered) given += text.slice(at, start) + this.#mask;
      covered = Math.max(covered, end);
      at = Math.min(covered, until);
    }
    given += text.slice(at, until);
    this.#held = text.slice(until);
    this.#covered = Math.max(0, covered - until);
    return given;
  }
}

/** The same for bytes of any encoding: secrets are looked for as UTF-8. */
export class ByteMasker {
  readonly #masker: SecretMasker | undefined;

  constructor(secrets: readonly string[]) {
    this.#masker = secrets.length === 0 ? undefined : new SecretMasker(secrets.map(byteText), byteText(mask));
  }

  next(bytes: Uint8Array): Uint8Array {
    return this.#masker ? bytesOf(this.#masker.next(textOf(bytes))) : bytes;
  }

  end(): Uint8Array {
    return this.#masker ? bytesOf(this.#masker.end()) : new Uint8Array();
  }
}

function byteText(text: string): string {
  return textOf(new TextEncoder().encode(text));
}

/** One character a byte, of the same number. */
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
