/** An address that people may follow, and the words for it. */
export interface Link {
  readonly name: string;
  readonly href: string;
}

/** Where an answer leads. Every address is in the format of the answer itself, but for those of `formats`. */
export interface ResponseLinks {
  /** This very answer in each format that there is, named by suffix; empty where it cannot be asked for again. */
  readonly formats: readonly Link[];
  /** What a reader can begin with: all that needs no id. */
  readonly sections: readonly Link[];
  /** What this is a part of, outermost first: the list that a record is of, the record that something belongs to. */
  readonly up: readonly Link[];
  /** What belongs to a single record: its parts, and the lists that can be filtered by it. */
  readonly related: readonly Link[];
  /** Null for anything but a list that comes in pages. */
  readonly list: ListLinks | null;
  /** The address of a record by the name of its kind, `RunTemplate` or `runtemplate`; null where it has none. */
  record(kind: string, id: number): string | null;
}

/** Where a list leads. */
export interface ListLinks {
  /** What it was asked for. */
  readonly query: ReadonlyMap<string, string>;
  /** The parameters that it can be filtered by. */
  readonly filters: readonly string[];
  /** The fields that it can be ordered by. */
  readonly orders: readonly string[];
  /** How many there are in all pages: `7`, or `10000+`. */
  readonly total: string;
  /** Null on the first page. */
  readonly first: string | null;
  /** Null on the last page. */
  readonly next: string | null;
  /** The list from its beginning, with these parameters set; null takes one away. */
  with(changes: Readonly<Record<string, string | null>>): string;
}
