/** A URL and its name. */
export interface Link {
  readonly name: string;
  readonly href: string;
}

/** The links of a response. Each address has the suffix of the response itself, except those of `formats`. */
export interface ResponseLinks {
  /** The same response in every format, named by suffix; empty where it cannot be requested again. */
  readonly formats: readonly Link[];
  /**
   * Where a reader begins, in the order of the API: the endpoints that need no id, by their paths (`tasks/summary`), then the
   * documentation.
   */
  readonly sections: readonly Link[];
  /** Ancestors, outermost first: the list of a record, the record of a part. */
  readonly up: readonly Link[];
  /** Children of a single record: its parts, and the lists that can be filtered by it. */
  readonly related: readonly Link[];
  /** Null for anything but a list that comes in pages. */
  readonly list: ListLinks | null;
  /** The address of a record by the name of its resource, `RunTemplate` or `runtemplate`; null where it has none. */
  record(resource: string, id: number): string | null;
}

/** The links of a list. */
export interface ListLinks {
  /** The query of the request. */
  readonly query: ReadonlyMap<string, string>;
  /** The parameters that it can be filtered by. */
  readonly filters: readonly string[];
  /** The fields that it can be ordered by. */
  readonly orders: readonly string[];
  /** The number of records on all pages: `7`, or `10000+`. */
  readonly total: string;
  /** Null on the first page. */
  readonly first: string | null;
  /** Null on the last page. */
  readonly next: string | null;
  /** Returns the URL of the list from its beginning with these parameters set; null removes one. */
  with(changes: Readonly<Record<string, string | null>>): string;
}
