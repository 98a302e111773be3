/** The rows that lines take where long ones are broken after a number of characters. */
export class WrappedRows {
  readonly #widthOf: (line: number) => number;
  readonly #columns: number;
  /** Behind each line, how many rows there are up to its end. */
  readonly #ends: number[] = [];

  /**
   * @param widthOf a line has, in characters.
   * @param columns how many characters a row holds.
   */
  constructor(widthOf: (line: number) => number, columns: number) {
    this.#widthOf = widthOf;
    this.#columns = columns;
  }

  /** Counts lines that were added. @param settled the first of those that may have grown since they were counted. */
  grow(count: number, settled: number): void {
    this.#ends.length = Math.min(this.#ends.length, settled);
    for (let line = this.#ends.length; line < count; line++)
      this.#ends.push(this.before(line) + Math.max(1, Math.ceil(this.#widthOf(line) / this.#columns)));
  }

  /** How many rows there are before a line. */
  before(line: number): number {
    return line <= 0 ? 0 : (this.#ends[line - 1] ?? this.#ends.at(-1) ?? 0);
  }

  /** The line that has a row. */
  lineAt(row: number): number {
    let [first, end] = [0, this.#ends.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      if ((this.#ends[middle] as number) > row) end = middle;
      else first = middle + 1;
    }
    return first;
  }
}

const tab = 8;
/** From here on, letters may be as wide as two: those of East Asia, and pictures. */
const wideFrom = 0x1100;

/** How many characters wide a text is at most. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += letter === '\t' ? tab : (letter.codePointAt(0) ?? 0) >= wideFrom ? 2 : 1;
  return width;
}
