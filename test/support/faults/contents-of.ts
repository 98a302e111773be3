import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Reads the files below a folder; of a database its rows, because its bytes may move. */
export function contentsOf(folder: string): Record<string, unknown> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).filter((path) => !/-(wal|shm)$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, path.endsWith('.sqlite') ? rows(path) : readFileSync(path)]));
}

function rows(file: string): Record<string, unknown[]> {
  const database = new Database(file);
  try {
    const tables = database
      .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
      .pluck()
      .all() as string[];
    return Object.fromEntries(tables.map((name) => [name, database.prepare(`select * from "${name}"`).all()]));
  } finally {
    database.close();
  }
}
