/**
 * PORT: keeps parts of the audit log outside the store, as text of one line for each entry. A segment is there as a whole
 * or not at all, and is never changed.
 */
export interface AuditArchive {
  /** Where the segments are, as messages name it: `/var/lib/horarium/audit`. */
  readonly place: string;
  /** Lists the names of the segments, ascending. */
  list(): Promise<string[]>;
  /**
   * Reads the lines of a segment, in their order.
   * @throws HorariumError `unavailable` when it cannot be read.
   */
  read(name: string): AsyncIterable<string>;
  /**
   * Begins a segment. It is discarded when its writer is disposed of before it is complete.
   * @throws HorariumError `unavailable` when it cannot be written.
   */
  create(name: string): Promise<SegmentWriter>;
}

/** Writes one segment. */
export interface SegmentWriter extends AsyncDisposable {
  /**
   * Appends lines, which have no line breaks.
   * @throws HorariumError `unavailable` when they cannot be written.
   */
  write(lines: readonly string[]): Promise<void>;
  /**
   * Gives the segment its name once it would survive a failure of the power.
   * @throws HorariumError `conflict` when there is a segment of that name, which stays as it is; `unavailable` when it
   *   cannot be written.
   */
  complete(): Promise<void>;
}
