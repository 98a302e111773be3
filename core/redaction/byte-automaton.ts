import type { ByteString } from './secret-forms.ts';
import { StepCounter } from './step-counter.ts';
import { StringGroups } from './string-groups.ts';

/** How many strings are divided in one step, each counted again for each state that it is divided in. */
const workPerStep = 32 * 1024;

/** The state before the first byte. */
export const rootState = 0;
/** The root is the child of no state. */
const noState = 0;

/**
 * Finds any number of byte strings in one pass (Aho and Corasick). Each state is a prefix of one of them: the longest one
 * that the bytes read so far end with. The states are numbered by length, so that the children of a state are contiguous,
 * in the order of their bytes; a state takes 17 bytes, and there are no more states than bytes in all strings. The states
 * of up to one byte, to which most bytes of an ordinary text lead back, have rows with the next state for every byte.
 */
export class ByteAutomaton {
  /** The children of a state are the states from its own entry up to that of the next state. */
  readonly #firstChild: Int32Array;
  /** The last byte of each state. */
  readonly #byte: Uint8Array;
  /** The longest proper suffix of each state that is a state as well. */
  readonly #suffix: Int32Array;
  /** The length of the longest string that the state ends with; 0 = it ends with none. */
  readonly #match: Int32Array;
  /** The columns of the bytes that lead to a child of each state, modulo 32, as bits: most other bytes fail this test. */
  readonly #childBits: Int32Array;
  /** The first state of each length. */
  readonly #firstOfLength: number[] = [rootState];
  /** Numbers the bytes that occur in the strings from 1 on; the others are 0. */
  readonly #columnOf = new Uint16Array(256);
  #rows = new Int32Array();
  #rowCount = 0;
  #rowLength = 1;

  private constructor(maxStates: number) {
    this.#firstChild = new Int32Array(maxStates + 1);
    this.#byte = new Uint8Array(maxStates);
    this.#suffix = new Int32Array(maxStates);
    this.#match = new Int32Array(maxStates);
    this.#childBits = new Int32Array(maxStates);
  }

  /**
   * Builds the automaton step by step, in a time that grows with the length of all strings together.
   * @param strings different byte strings, none of them empty.
   */
  static *build(strings: readonly ByteString[]): Generator<void, ByteAutomaton> {
    const automaton = new ByteAutomaton(1 + strings.reduce((sum, { length }) => sum + length, 0));
    automaton.#addRows(yield* automaton.#addStates(strings));
    return automaton;
  }

  /**
   * Reads bytes.
   * @param from the state before the first of them.
   * @param found called at each place where strings end, in order, with the place and the length of the longest of them.
   * @returns the state after the last byte.
   */
  read(bytes: Uint8Array, from: number, found: (end: number, length: number) => void): number {
    const suffix = this.#suffix;
    const match = this.#match;
    const childBits = this.#childBits;
    const rows = this.#rows;
    const rowCount = this.#rowCount;
    const rowLength = this.#rowLength;
    const columnOf = this.#columnOf;
    let state = from;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      const column = columnOf[byte] as number;
      if (column === 0) {
        state = rootState;
        continue;
      }
      for (;;) {
        if (state < rowCount) {
          state = rows[state * rowLength + column] as number;
          break;
        }
        if (((childBits[state] as number) >>> column) & 1) {
          const child = this.#child(state, byte);
          if (child !== noState) {
            state = child;
            break;
          }
        }
        state = suffix[state] as number;
      }
      const length = match[state] as number;
      if (length > 0) found(at + 1, length);
    }
    return state;
  }

  /** Returns how many of the bytes that were read last may be the beginning of a string that further bytes complete. */
  unfinished(last: number): number {
    let state = last;
    while (state !== rootState && this.#childBits[state] === 0) state = this.#suffix[state] as number;
    let low = 0;
    let high = this.#firstOfLength.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#firstOfLength[middle] as number) <= state) low = middle;
      else high = middle;
    }
    return low;
  }

  /**
   * Adds the states in the order of their length: those that begin with a state are divided by their next byte into its
   * children.
   * @returns the number of states.
   */
  *#addStates(strings: readonly ByteString[]): Generator<void, number> {
    const groups = new StringGroups(strings, this.#match.length);
    let count = 1;
    const step = new StepCounter(workPerStep);
    for (let state = rootState, length = 0; state < count; state++) {
      if (state === this.#firstOfLength[length + 1]) length++;
      this.#firstChild[state] = count;
      const added = groups.divide(state, length, count);
      // The numbers of the states of the next length begin with the first child of this length.
      if (added > 0 && this.#firstOfLength.length === length + 1) this.#firstOfLength.push(count);
      this.#match[state] = groups.hasWhole(state, length)
        ? length
        : (this.#match[this.#suffix[state] as number] as number);
      for (const end = count + added; count < end; count++) this.#addState(count, state, groups.byteOf(count, length));
      this.#firstChild[state + 1] = count;
      if (step.completes(groups.sizeOf(state))) yield;
    }
    return count;
  }

  #addState(state: number, parent: number, byte: number): void {
    this.#byte[state] = byte;
    this.#childBits[parent] = (this.#childBits[parent] as number) | (1 << this.#addColumn(byte));
    this.#suffix[state] = parent === rootState ? rootState : this.#next(this.#suffix[parent] as number, byte);
  }

  /** Adds the rows of the states of up to one byte, with a column for each byte that occurs in the strings. */
  #addRows(stateCount: number): void {
    this.#rowCount = this.#firstOfLength[2] ?? stateCount;
    this.#rows = new Int32Array(this.#rowCount * this.#rowLength);
    for (let state = rootState; state < this.#rowCount; state++)
      for (let byte = 0; byte < 256; byte++) {
        const column = this.#columnOf[byte] as number;
        if (column > 0) this.#rows[state * this.#rowLength + column] = this.#next(state, byte);
      }
  }

  /** Returns the number of a byte among those that occur in the strings. */
  #addColumn(byte: number): number {
    if (this.#columnOf[byte] === 0) this.#columnOf[byte] = this.#rowLength++;
    return this.#columnOf[byte] as number;
  }

  /** Returns the state after one more byte, without the rows. */
  #next(from: number, byte: number): number {
    for (let state = from; ; state = this.#suffix[state] as number) {
      const child = this.#child(state, byte);
      if (child !== noState || state === rootState) return child;
    }
  }

  #child(state: number, byte: number): number {
    let low = this.#firstChild[state] as number;
    let high = this.#firstChild[state + 1] as number;
    while (high - low > 8) {
      const middle = (low + high) >>> 1;
      if ((this.#byte[middle] as number) <= byte) low = middle;
      else high = middle;
    }
    while (low < high && this.#byte[low] !== byte) low++;
    return low < high ? low : noState;
  }
}
