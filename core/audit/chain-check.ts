import type { Hmac } from '../secret/vault.ts';
import { chainStart, type Head, nextHead } from './chain.ts';
import { type RawEntry, signedText } from './signed-entry.ts';

/** Checks sealed entries one after another, whatever their columns hold. */
export class ChainCheck {
  readonly #hmac: Hmac;
  readonly #onHead: (head: Head) => void;
  #unreached: readonly Head[];
  #head: Head;
  #checked = 0;

  /**
   * @param heads heads of the chain that were stored elsewhere: each must be reached.
   * @param start the head behind which the chain begins.
   * @param onHead is called after each entry that is intact, with the head that it makes.
   */
  constructor(
    hmac: Hmac,
    heads: readonly Head[],
    start: Head = chainStart,
    onHead: (head: Head) => void = () => undefined,
  ) {
    this.#hmac = hmac;
    this.#unreached = heads;
    this.#head = start;
    this.#onHead = onHead;
  }

  /** The last entry up to which the chain of hashes is intact. */
  get head(): Head {
    return this.#head;
  }

  /** The number of entries that were checked. */
  get checked(): number {
    return this.#checked;
  }

  /** The heads that were stored elsewhere and that no entry has reached so far. */
  get unreached(): readonly Head[] {
    return this.#unreached;
  }

  /** Goes on behind a later head, without the entries up to it: they are checked elsewhere. */
  goOnFrom(head: Head): void {
    this.#head = head;
  }

  /** Checks the entry with the next higher `seq`. @returns what is wrong with it; null = nothing. */
  problemOf(entry: RawEntry): string | null {
    const text = signedText(entry);
    const next = text === null ? null : nextHead(this.#hmac, this.#head, entry, text);
    if (next === null || next.seq !== entry.seq || next.hash !== entry.hash) return this.#describe(entry, text);
    if (entry.forged !== false && entry.forged !== 0) return `${nameOf(entry)} is sealed, but was marked as forged.`;
    if (this.#unreached.some(({ seq, hash }) => seq === next.seq && hash !== next.hash))
      return `${nameOf(entry)} is not the one that was noted.`;
    this.#unreached = this.#unreached.filter(({ seq }) => seq !== next.seq);
    this.#head = next;
    this.#checked += 1;
    this.#onHead(next);
    return null;
  }

  /** Returns what is wrong behind the last entry; null = nothing. */
  problemOfEnd(): string | null {
    const beyond = this.#unreached.find(({ seq }) => seq > this.#head.seq);
    return beyond
      ? `The log ends at ${this.#head.seq}, but the head that was noted is ${beyond.seq}: the entries after ${this.#head.seq} were cut off.`
      : null;
  }

  #describe(entry: RawEntry, text: string | null): string {
    const { seq } = this.#head;
    if (text === null) return `${nameOf(entry)} was changed or inserted, and cannot be read.`;
    const isGap = Number.isSafeInteger(entry.seq) && Number(entry.seq) > seq + 1;
    return isGap && this.#hmac(text) === entry.mac
      ? `Entry ${seq + 1} was removed: ${nameOf(entry)} follows ${seq}.`
      : `${nameOf(entry)} was changed or inserted.`;
  }
}

/** Names an entry for messages, whatever its columns hold. */
export function nameOf({ id, seq, action, entity_type, entity_id }: RawEntry): string {
  const place = seq === null ? '' : `, seq ${shown(seq)}`;
  return `Audit entry ${id} (${shown(action)} of ${shown(entity_type)} ${shown(entity_id)}${place})`;
}

const maxShown = 40;

/** Shows a value of a column on one line, without characters that control a terminal. */
function shown(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : `a value of no such column`;
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ');
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
