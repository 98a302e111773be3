import type { AnyRow } from '../store/table.ts';
import type { BackupProgress, BackupTable } from './backup-file.ts';

/** Measures how far a backup is by the ids of its rows, because counting them would take long. */
export class TableProgress {
  readonly #tables: readonly BackupTable[];
  /** How many ids the tables before each one have assigned. */
  readonly #before: readonly number[];
  readonly #total: number;
  #table = 0;
  #rows = 0;
  #id = 0;

  constructor(tables: readonly BackupTable[]) {
    this.#tables = tables;
    let sum = 0;
    this.#before = tables.map(({ last_id }) => {
      sum += last_id;
      return sum - last_id;
    });
    this.#total = sum;
  }

  begin(table: number): void {
    this.#table = table;
    this.#id = 0;
  }

  passed(rows: readonly AnyRow[]): void {
    this.#rows += rows.length;
    this.#id = rows.at(-1)?.id ?? this.#id;
  }

  get now(): BackupProgress {
    const done = (this.#before[this.#table] ?? 0) + this.#id;
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    return { table: this.#tables[this.#table]?.name ?? '', rows: this.#rows, share };
  }
}
