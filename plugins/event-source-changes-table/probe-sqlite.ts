import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import Database from 'better-sqlite3';
import { probeOf } from './table-name.ts';

/** The milliseconds to wait for a locked database: few, because waiting blocks the whole service. */
const busyTimeout = 200;
/** Tables that tell a database of Horarium from others. */
const ownTables = ['horarium_audit_log', 'horarium_run_template'];

/**
 * Checks that the newest change can be selected from a SQLite file. It must be in one of the folders, and no database
 * of Horarium.
 * @throws Error that says why it cannot.
 */
export async function probeSqlite(file: string, table: string, folders: readonly string[]): Promise<void> {
  const path = await allowedFile(file, folders);
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeout });
  try {
    const list = ownTables.map((name) => `'${name}'`).join(', ');
    const found = database.prepare(`select count(*) from sqlite_master where name in (${list})`).pluck().get();
    if (found === ownTables.length) throw new Error(`${file} is a database of Horarium itself`);
    database.prepare(probeOf(table)).get();
  } finally {
    database.close();
  }
}

/** The file behind all links. One outside the folders is refused in the same way whether it exists or not. */
async function allowedFile(file: string, folders: readonly string[]): Promise<string> {
  const outside = new Error(`${file} is in none of the folders that files may be read from`);
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const path = await realpath(file).catch(() => null);
  const within = (real: string) => roots.some((root) => root !== null && real.startsWith(root + sep));
  if (path === null) throw within(file) ? new Error(`there is no file ${file}`) : outside;
  if (!within(path)) throw outside;
  if (!(await stat(path)).isFile()) throw new Error(`${file} is not a file`);
  return path;
}
