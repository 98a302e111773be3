/** What a save returns besides the columns of the row that it wrote. A type, so that the row is still a record of columns. */
type SaveResult = {
  /** Whether the record is new. */
  readonly created: boolean;
  /** A sentence for each thing that the caller may not expect, though the record is saved. */
  readonly warnings: readonly string[];
};

/** The row that a save wrote, with its result. */
export type Saved<R> = R & SaveResult;

/** Adds the result of a save to its row. The properties are not enumerable, because they are no columns of the row. */
export function asSaved<R extends object>(row: R, { created, warnings }: SaveResult): Saved<R> {
  return Object.defineProperties(row, { created: { value: created }, warnings: { value: warnings } }) as Saved<R>;
}
