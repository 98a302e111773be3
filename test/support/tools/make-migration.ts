import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allTables } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import type { MikroOrmStore } from '../../../adapters/mikro-orm/mikro-orm-store.ts';
import { createDatabase, TestPostgres } from '../store/test-postgres.ts';

/** Writes the migration from the latest schema to that of the resources, for SQLite and PostgreSQL: `npm run migration -- NAME`. */
async function main(name = 'change'): Promise<void> {
  const postgres = new TestPostgres();
  try {
    const url = await createDatabase({ server: await postgres.start() });
    const tables = allTables;
    await write('sqlite', name, await openSqliteStore({ file: ':memory:', tables, clock: new StandingClock() }));
    await write('postgresql', name, await openPostgresStore({ url, tables }));
  } finally {
    await postgres.close();
  }
}

async function write(dialect: 'sqlite' | 'postgresql', name: string, store: MikroOrmStore): Promise<void> {
  const folder = join(process.cwd(), 'adapters', 'mikro-orm', 'dialects', dialect, 'migrations');
  try {
    await store.schema.migrate();
    const written = await store.schema.writeMigration(folder, name);
    console.log(written ? `${dialect}: written.` : `${dialect}: nothing to do.`);
    writeIndex(folder, dialect);
  } finally {
    await store.close();
  }
}

/** Writes the module that lists the migrations of a dialect. */
function writeIndex(folder: string, dialect: 'sqlite' | 'postgresql'): void {
  const files = readdirSync(folder)
    .filter((file) => /^\d+-.*\.ts$/.test(file))
    .sort();
  const classes = files.map((file) => /export class (\w+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1]);
  const [variable, title] =
    dialect === 'sqlite' ? ['sqliteMigrations', 'SQLite'] : ['postgresMigrations', 'PostgreSQL'];
  const entries = files.map(
    (file, index) =>
      `  { name: '${classes[index]}', load: async () => (await import('./${file}')).${classes[index]} },\n`,
  );
  writeFileSync(
    join(folder, 'index.ts'),
    `import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for ${title}, oldest first. */
export const ${variable}: readonly MigrationEntry[] = [\n${entries.join('')}];\n`,
  );
}

await main(process.argv[2]);
