import type { ByteString } from './forms.ts';

/** The state before the first byte. */
export const rootState = 1;
/** No state: no byte leads there, or it is not known yet. */
const none = 0;

/** What a place holds besides a byte: its string ends in front of it; further bytes lead on from it. */
const isEnd = 0x100;
const isForked = 0x200;

/** How much is added in one step: the bytes of strings, and what each string costs besides them. */
const workPerStep = 32 * 1024;
const workPerString = 64;

/** How many states have rows: some for each string, because most texts reach few states of more than three bytes. */
const rowsPerString = 4;
const minRows = 32;
const maxRows = 0xffff;
const maxEntries = 1024 * 1024;

/**
 * Finds any number of byte strings in one pass (Aho and Corasick), in a time that grows with the text alone. The strings
 * lie one behind another, and a state is a place among them: the one behind the prefix that was read. The byte at a place
 * leads to the next place; where a string parts from the earlier ones, its byte leads to a place of its own. The rest is
 * computed when a text first reaches a state, because it reaches few of them: the suffix of the state, and a row with the
 * states that follow it.
 */
export class Automaton {
  readonly #bytes: Uint16Array;
  /** The longest proper suffix of each state that is a state as well. */
  readonly #suffix: Int32Array;
  /** The length of the longest string that a state with a known suffix ends with; 0 = it ends with none. */
  readonly #match: Int32Array;
  /** The states after the first byte. */
  readonly #first = new Int32Array(256);
  /** The states that the further bytes of forked places lead to, by `256 * state + byte`. */
  readonly #forks = new Map<number, number>();
  /** The places of the first bytes of the strings. */
  readonly #starts: number[] = [];
  /** Numbers the bytes that occur in the strings from 1 on; the others are 0. */
  readonly #columnOf = new Uint16Array(256);
  #width = 1;
  /** The numbers of the rows of states, from 1 on; the states without a row share row 0, which stays empty. */
  readonly #rowOf: Uint16Array;
  readonly #stateOf: number[] = [none];
  /** In the row of a state, the beginnings of the rows of the states that follow it, but for those that end a string. */
  #rows = new Int32Array();

  private constructor(size: number) {
    this.#bytes = new Uint16Array(size).fill(isEnd);
    this.#suffix = new Int32Array(size);
    this.#match = new Int32Array(size);
    this.#rowOf = new Uint16Array(size);
    this.#suffix[rootState] = rootState;
  }

  /** Builds the automaton of byte strings, none of them empty, in steps that are short enough for the event loop. */
  static *build(strings: ReadonlySet<ByteString>): Generator<void, Automaton> {
    let size = rootState + 1;
    for (const { length } of strings) size += length + 1;
    const automaton = new Automaton(size);
    let start = rootState + 1;
    let work = 0;
    for (const string of strings) {
      automaton.#add(string, start);
      start += string.length + 1;
      work += string.length + workPerString;
      if (work < workPerStep) continue;
      work = 0;
      yield;
    }
    const rows = Math.min(minRows + rowsPerString * strings.size, maxRows);
    automaton.#rows = new Int32Array(Math.min(rows * automaton.#width, maxEntries));
    return automaton;
  }

  /**
   * Reads bytes.
   * @param from the state before the first of them.
   * @param found called at each place where strings end, in order, with the place and the length of the longest of them.
   * @returns the state after the last byte.
   */
  read(bytes: Uint8Array, from: number, found: (end: number, length: number) => void): number {
    const rows = this.#rows;
    const columnOf = this.#columnOf;
    let row = this.#enter(from);
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      const column = columnOf[byte] as number;
      const known = rows[row + column] as number;
      if (known > 0) {
        row = known;
        continue;
      }
      const state = this.#after(this.#stateAt(row), byte);
      const next = this.#enter(state);
      const length = this.#match[state] as number;
      if (length > 0) found(at + 1, length);
      else if (row > 0) rows[row + column] = next;
      row = next;
    }
    return this.#stateAt(row);
  }

  /** Returns the longest suffix of a state that further bytes may complete to a string. */
  unfinished(reached: number): number {
    let state = reached;
    while (state !== rootState && this.#bytes[state] === isEnd) state = this.#suffix[state] as number;
    return state;
  }

  /** Returns how many bytes lead to a state. */
  lengthOf(state: number): number {
    return state === rootState ? 0 : state - this.#startOf(state);
  }

  /** Returns some of the bytes that lead to a state. */
  bytesOf(state: number, from: number, to: number): Uint8Array {
    const start = this.#startOf(state);
    return new Uint8Array(this.#bytes.subarray(start + from, start + to));
  }

  #add(string: ByteString, start: number): void {
    this.#starts.push(start);
    for (let at = 0; at < string.length; at++) {
      const byte = string.charCodeAt(at);
      this.#bytes[start + at] = byte;
      if (this.#columnOf[byte] === 0) this.#columnOf[byte] = this.#width++;
    }
    let state = rootState;
    let length = 0;
    for (; length < string.length; length++) {
      const next = this.#next(state, string.charCodeAt(length));
      if (next === none) break;
      state = next;
    }
    if (length < string.length) {
      this.#fork(state, string.charCodeAt(length), start + length + 1);
      state = start + string.length;
    }
    this.#match[state] = string.length;
  }

  #fork(state: number, byte: number, to: number): void {
    if (state === rootState) {
      this.#first[byte] = to;
      this.#suffix[to] = rootState;
    } else {
      this.#bytes[state] = (this.#bytes[state] as number) | isForked;
      this.#forks.set(256 * state + byte, to);
    }
  }

  /** Returns the state that a byte leads to from a state, without regard to the suffixes of the state. */
  #next(state: number, byte: number): number {
    if (state === rootState) return this.#first[byte] as number;
    const place = this.#bytes[state] as number;
    if ((place & ~isForked) === byte) return state + 1;
    return place >= isForked ? (this.#forks.get(256 * state + byte) ?? none) : none;
  }

  /** Returns the state after one more byte. */
  #after(from: number, byte: number): number {
    let state = from;
    let next = this.#next(state, byte);
    while (next === none && state !== rootState) {
      state = this.#suffix[state] as number;
      next = this.#next(state, byte);
    }
    if (next === none) return rootState;
    if (this.#suffix[next] === none) this.#link(next, state, byte);
    return next;
  }

  /** Computes the suffix of a state that a byte leads to from another one, and the suffixes of that. */
  #link(state: number, from: number, byte: number): void {
    const linked: number[] = [];
    for (let to = state, parent = from; this.#suffix[to] === none; to = this.#suffix[to] as number) {
      let next = none;
      while (next === none && parent !== rootState) {
        parent = this.#suffix[parent] as number;
        next = this.#next(parent, byte);
      }
      this.#suffix[to] = next === none ? rootState : next;
      linked.push(to);
    }
    for (const to of linked.reverse())
      if (this.#match[to] === 0) this.#match[to] = this.#match[this.#suffix[to] as number] as number;
  }

  /** Returns the beginning of the row of a state, which gets one while there is room; 0 = it has none. */
  #enter(state: number): number {
    if (this.#rowOf[state] === 0 && (this.#stateOf.length + 1) * this.#width <= this.#rows.length)
      this.#rowOf[state] = this.#stateOf.push(state) - 1;
    this.#stateOf[0] = state;
    return (this.#rowOf[state] as number) * this.#width;
  }

  /** Returns the state that a row belongs to; for row 0 it is the one that was entered last. */
  #stateAt(row: number): number {
    return this.#stateOf[row / this.#width] as number;
  }

  /** Returns the place of the first byte of the string that a state lies in. */
  #startOf(state: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) < state) low = middle;
      else high = middle;
    }
    return this.#starts[low] as number;
  }
}
