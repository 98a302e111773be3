import type { Migration } from '@mikro-orm/migrations';
import Database from 'better-sqlite3';
import pg from 'pg';

/** Copies a SQLite database into one compact file, whose write-ahead log is empty. */
export function dumpSqlite(file: string, copy: string): void {
  const database = new Database(file);
  database.exec(`vacuum into '${copy}'`);
  database.close();
}

/**
 * Writes a PostgreSQL database as one text of statements that make it again: the tables by the statements of its
 * migrations, then the rows, then what its sequences count from.
 */
export async function dumpPostgres(url: string, migrations: readonly Migration[]): Promise<string> {
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC' });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const migration of migrations) {
      await migration.up();
      lines.push(...(migration.getQueries() as string[]).map((sql) => (sql.endsWith(';') ? sql : `${sql};`)));
    }
    lines.push(
      'create table "horarium_migrations" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz(0) default current_timestamp);',
      // Rows refer to each other, and sealed ones may not change.
      'set session_replication_role = replica;',
    );
    for (const table of await column(client, tablesSql)) lines.push(...(await rowsOf(client, table)));
    lines.push('set session_replication_role = origin;', '');
    return lines.join('\n');
  } finally {
    await client.end();
  }
}

const tablesSql = `select table_name as value from information_schema.tables
  where table_schema = current_schema() and table_name like 'horarium%' order by 1`;

async function column(client: pg.Client, sql: string): Promise<string[]> {
  return (await client.query<{ value: string }>(sql)).rows.map(({ value }) => value);
}

async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const columns = await column(
    client,
    `select column_name as value from information_schema.columns
      where table_schema = current_schema() and table_name = '${table}' order by ordinal_position`,
  );
  const values = columns.map((name) => `quote_nullable("${name}"::text)`).join(` || ', ' || `);
  const rows = await column(client, `select ${values} as value from "${table}" order by "id"`);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const [next] = await column(client, `select nextval(pg_get_serial_sequence('${table}', 'id'))::text as value`);
  return [
    ...(rows.length > 0 ? [`insert into "${table}" (${names}) values\n(${rows.join('),\n(')});`] : []),
    `select setval(pg_get_serial_sequence('${table}', 'id'), ${next}, false);`,
  ];
}
