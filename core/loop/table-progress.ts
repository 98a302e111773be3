/** A table that is read in the order of the ids, with the last one that it has assigned. */
interface ReadTable {
  readonly name: string;
  readonly last_id: number;
}

/** How far work on the rows of tables is. */
interface DoneRows {
  readonly table: string;
  readonly rows: number;
  /** The part that is done, from 0 to 1, as the ids of the rows tell. */
  readonly share: number;
}

/** Measures how far work on tables is by the ids of their rows, because counting them would take long. */
export class TableProgress {
  readonly #tables: readonly ReadTable[];
  /** How many ids the tables before each one have assigned. */
  readonly #before: readonly number[];
  readonly #total: number;
  #table = 0;
  #rows = 0;
  #id = 0;

  constructor(tables: readonly ReadTable[]) {
    this.#tables = tables;
    let sum = 0;
    this.#before = tables.map(({ last_id }) => {
      sum += last_id;
      return sum - last_id;
    });
    this.#total = sum;
  }

  /** Goes on to the table of that name, unless it is there already. */
  begin(name: string): void {
    const table = this.#tables.findIndex((each) => each.name === name);
    if (table !== this.#table) this.#id = 0;
    this.#table = table;
  }

  passed(rows: readonly { readonly id: number }[]): void {
    this.#rows += rows.length;
    this.#id = rows.at(-1)?.id ?? this.#id;
  }

  get now(): DoneRows {
    const done = (this.#before[this.#table] ?? 0) + this.#id;
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    return { table: this.#tables[this.#table]?.name ?? '', rows: this.#rows, share };
  }
}
