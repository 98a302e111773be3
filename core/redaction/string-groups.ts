import type { ByteString } from './secret-forms.ts';

/** Byte strings in groups, one for each state of an automaton: those that begin with the state. */
export class StringGroups {
  readonly #strings: readonly ByteString[];
  /** The indexes of the strings, so that each group is contiguous; one that ends with its state is the first of a divided group. */
  readonly #order: Int32Array;
  readonly #begin: Int32Array;
  readonly #end: Int32Array;
  readonly #moved: Int32Array;
  readonly #places = new Int32Array(257);

  /** Puts all strings into the group of state 0. */
  constructor(strings: readonly ByteString[], maxStates: number) {
    this.#strings = strings;
    this.#order = new Int32Array(strings.length).map((_index, at) => at);
    this.#moved = new Int32Array(strings.length);
    this.#begin = new Int32Array(maxStates);
    this.#end = new Int32Array(maxStates);
    this.#end[0] = strings.length;
  }

  /** Returns how many strings the group of a state has. */
  sizeOf(state: number): number {
    return (this.#end[state] as number) - (this.#begin[state] as number);
  }

  /** Returns a byte that all strings of a group have in common. */
  byteOf(state: number, index: number): number {
    return this.#first(state)?.charCodeAt(index) as number;
  }

  /** Whether one of the strings of a divided group is as long as the state, and so is the state itself. */
  hasWhole(state: number, length: number): boolean {
    return this.#first(state)?.length === length;
  }

  /**
   * Divides the strings of a group by the byte at an index into groups for new states, in the order of the bytes.
   * @returns the number of new states.
   */
  divide(state: number, index: number, firstNew: number): number {
    const begin = this.#begin[state] as number;
    const end = this.#end[state] as number;
    if (end - begin > 1) this.#sort(begin, end, index);
    let at = begin;
    while (at < end && this.#keyAt(at, index) === 0) at++;
    let added = 0;
    while (at < end) {
      const key = this.#keyAt(at, index);
      this.#begin[firstNew + added] = at;
      while (at < end && this.#keyAt(at, index) === key) at++;
      this.#end[firstNew + added] = at;
      added++;
    }
    return added;
  }

  /** Sorts part of the order by the byte at an index; a counting sort takes linear time. */
  #sort(begin: number, end: number, index: number): void {
    const places = this.#places.fill(0);
    for (let at = begin; at < end; at++) {
      const key = this.#keyAt(at, index);
      places[key] = (places[key] as number) + 1;
    }
    for (let key = 0, place = begin; key < places.length; key++) {
      const count = places[key] as number;
      places[key] = place;
      place += count;
    }
    this.#moved.set(this.#order.subarray(begin, end), begin);
    for (let at = begin; at < end; at++) {
      const key = this.#keyOf(this.#moved[at] as number, index);
      const place = places[key] as number;
      this.#order[place] = this.#moved[at] as number;
      places[key] = place + 1;
    }
  }

  /** Returns undefined for an empty group. */
  #first(state: number): ByteString | undefined {
    return this.#strings[this.#order[this.#begin[state] as number] as number];
  }

  #keyAt(at: number, index: number): number {
    return this.#keyOf(this.#order[at] as number, index);
  }

  /** Returns 0 for a string that ends before the index, and otherwise its byte there plus 1. */
  #keyOf(string: number, index: number): number {
    const bytes = this.#strings[string] as ByteString;
    return index < bytes.length ? bytes.charCodeAt(index) + 1 : 0;
  }
}
