import { decodeBase64, encodeBase64 } from '../bytes/base64.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { storedValue } from '../store/stored-values.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** The version of the format. */
export const backupFormat = 1;

/** One table in a backup. */
export interface BackupTable {
  readonly name: string;
  /** The kinds of its columns by their names, in the order of the cells of a row. */
  readonly columns: Readonly<Record<string, string>>;
  /** The last id that the table has assigned. */
  readonly last_id: number;
}

/**
 * The first line of a backup, which is JSON Lines. Then comes each table: a line `{"table":"App"}`, and a line for each of
 * its rows, an array of cells. The last line has the number of rows and a MAC over all lines before it.
 */
export interface BackupHeader {
  readonly horarium: 'backup';
  readonly format: number;
  /** The version of the service that made it. */
  readonly version: string;
  readonly created_at: string;
  /** The kind of store that it was made of. */
  readonly store: string;
  /** The fingerprints of the vault keys that its secrets are encrypted with, newest first. */
  readonly vault: readonly string[];
  /** The key of the MAC, encrypted by the vault: that of the audit log. */
  readonly audit_key: string;
  /** The end of the sealed audit log, as `audit:verify --head` takes it. */
  readonly audit_head: string;
  /** Each after those it refers to. */
  readonly tables: readonly BackupTable[];
}

/** The last line of a backup. */
export interface BackupEnd {
  readonly rows: number;
  readonly mac: string;
}

/** How far the writing or the restoring of a backup is. */
export interface BackupProgress {
  readonly table: string;
  readonly rows: number;
  /** The part that is done, from 0 to 1, as the ids of the rows tell. */
  readonly share: number;
}

export function describeTableOfBackup(table: TableDescription, lastId: number): BackupTable {
  const columns = Object.fromEntries(table.columns.map(({ name, kind }) => [name, kind]));
  return { name: table.name, columns, last_id: lastId };
}

/** Writes a row as a line. @throws Error when a cell holds what no store accepts. */
export function rowToLine({ table, columns }: TableDescription, row: AnyRow): string {
  return JSON.stringify(columns.map((column) => cellOf(table, column, row[column.name])));
}

/** Reads the row of a line. @throws Error when a cell is not of the kind of its column. */
export function rowFromCells({ columns }: TableDescription, cells: readonly unknown[]): AnyRow {
  if (cells.length !== columns.length) throw new Error(`${cells.length} cells, not ${columns.length}`);
  return Object.fromEntries(columns.map(({ name, kind }, at) => [name, storedCell(kind, cells[at])])) as AnyRow;
}

function cellOf(table: string, column: FieldDescription, value: unknown): unknown {
  const stored = storedValue(table, column, value);
  return stored instanceof Uint8Array ? encodeBase64(stored) : stored;
}

function storedCell(kind: string, cell: unknown): unknown {
  return kind === 'binary' && typeof cell === 'string' ? decodeBase64(cell) : cell;
}
