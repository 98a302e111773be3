import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import {
  abortable,
  type ColumnValue,
  type QueryResult,
  type SqlDialect,
  type TableDatabase,
} from './table-database.ts';

const dialect: SqlDialect = {
  quote: (name) => `"${name}"`,
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  // SQLite does not check that text is UTF-8.
  readOf: (column) => `case typeof(${column}) when 'text' then cast(${column} as blob) else ${column} end`,
  bytesOf: (column) => `length(cast(${column} as blob))`,
  // Texts and blobs are sorted after every number.
  selectMax: (column, table) =>
    `select ${column} as head from ${table} as t where ${column} <= 9223372036854775807 order by ${column} desc limit 1`,
};

/** Tables that tell a database of Horarium from others. */
const ownTables = ['horarium_audit_log', 'horarium_run_template'];

/** The wait between two attempts at a locked file: SQLite itself would wait in the way of everything else. */
const busyPause = 20;
/** How long a file may stay locked. */
const busyTimeout = 4000;

/**
 * Opens a SQLite file. It must be in one of the folders, and no database of Horarium.
 * @param writes whether rows may be deleted.
 * @throws Error that says why it cannot.
 */
export async function openSqlite(
  file: string,
  folders: readonly string[],
  writes: boolean,
  signal: AbortSignal,
): Promise<TableDatabase> {
  const path = await allowedFile(file, folders);
  const connection = new SqliteDatabase(new Database(path, { readonly: !writes, fileMustExist: true, timeout: 0 }));
  try {
    const list = ownTables.map((name) => `'${name}'`).join(', ');
    const count = `select count(*) as own from sqlite_master where name in (${list})`;
    const { rows } = await abortable(connection, signal, () => connection.query(count));
    if (rows[0]?.['own'] === `${ownTables.length}`) throw new Error(`${file} is a database of Horarium itself`);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class SqliteDatabase implements TableDatabase {
  readonly dialect = dialect;
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async query(sql: string): Promise<QueryResult> {
    for (let waited = 0; ; waited += busyPause)
      try {
        return this.#run(sql);
      } catch (error) {
        const isBusy = /^SQLITE_(?:BUSY|LOCKED)/.test((error as { code?: string }).code ?? '');
        if (!isBusy || waited >= busyTimeout) throw error;
        await pause(busyPause);
      }
  }

  #run(sql: string): QueryResult {
    const statement = this.#database.prepare(sql);
    if (!statement.reader) {
      statement.run();
      return { rows: [], isNumber: () => false };
    }
    const columns = statement.columns();
    const rows = statement.safeIntegers().all() as Record<string, unknown>[];
    return {
      rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)]))),
      // A column without a type keeps numbers as they are.
      isNumber: (column) => !/char|clob|text/i.test(columns[column]?.type ?? ''),
    };
  }

  destroy(): void {
    this.#database.close();
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function cellOf(value: unknown): ColumnValue {
  return value === null || value instanceof Uint8Array ? value : String(value);
}

/** Follows the links of a path to its file. A file outside the folders is refused in the same way whether it exists or not. */
async function allowedFile(file: string, folders: readonly string[]): Promise<string> {
  const outside = new Error(`${file} is in none of the folders that files may be read from (horarium help tables)`);
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const path = await realpath(file).catch(() => null);
  const within = (real: string) => roots.some((root) => root !== null && real.startsWith(root + sep));
  if (path === null) throw within(file) ? new Error(`there is no file ${file}`) : outside;
  if (!within(path)) throw outside;
  if (!(await stat(path)).isFile()) throw new Error(`${file} is not a file`);
  return path;
}
