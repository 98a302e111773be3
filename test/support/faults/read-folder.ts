import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Reads all files below a folder by path: bytes, or for SQLite databases readRows, because equal readRows may differ in bytes. */
export function readFolder(folder: string): Record<string, unknown> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((file) => join(file.parentPath, file.name)).filter((path) => !/-(wal|shm)$/.test(path));
  return Object.fromEntries(
    paths.map((path) => [path, path.endsWith('.sqlite') ? readRows(path) : readFileSync(path)]),
  );
}

function readRows(file: string): Record<string, unknown[]> {
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
