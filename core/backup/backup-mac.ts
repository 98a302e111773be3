import type { Hmac } from '../secret/vault.ts';

/** About how many characters of lines are signed at once. */
const pieceLength = 64 * 1024;

/** The MAC over the lines of a backup: a chain of MACs over pieces, so that no more than a piece is in memory. */
export class BackupMac {
  readonly #hmac: Hmac;
  #lines: string[] = [];
  #length = 0;
  #mac = '';

  constructor(hmac: Hmac) {
    this.#hmac = hmac;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= pieceLength) this.#sign();
  }

  end(): string {
    this.#sign();
    return this.#mac;
  }

  #sign(): void {
    this.#mac = this.#hmac(`backup ${this.#mac}\n${this.#lines.join('\n')}`);
    this.#lines = [];
    this.#length = 0;
  }
}
