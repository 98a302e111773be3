import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HorariumError } from '@horarium/core';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { databaseKinds } from '../store/test-databases.ts';

type Database = (typeof ormDatabases)[number];

/** Statements that lose data, or that are a guess: a column that goes and one that comes may be two different ones. */
const risky = /\b(drop (table|column)|rename column)\b/i;

/**
 * Adds the migration from the last one to the resources, for every database: `npm run migration -- NAME`. Those of one
 * run have the same name. A file that exists is never changed.
 */
async function main(name: string | undefined): Promise<void> {
  if (name === undefined || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new HorariumError('invalid', 'Name the change in lower case with hyphens: npm run migration -- app-color');
  const time = new Date();
  for (const database of ormDatabases) {
    const { url, drop } = await databaseKinds[database.kind].create();
    const store = (await openStore({ url })) as SqlStore;
    try {
      await write(database, { name, time, store });
    } finally {
      await store.close();
      await drop();
    }
  }
}

interface Change {
  readonly name: string;
  readonly time: Date;
  readonly store: SqlStore;
}

async function write({ kind, title }: Database, { name, time, store: { schema } }: Change): Promise<void> {
  const folder = join(process.cwd(), 'adapters', 'mikro-orm', 'dialects', kind, 'migrations');
  await schema.migrate();
  const statements = await schema.writeMigration(folder, name, time);
  console.log(statements.length > 0 ? `${title}: written.` : `${title}: nothing differs.`);
  for (const statement of statements.filter((sql) => risky.test(sql))) console.warn(`${title}: check ${statement}`);
  writeFileSync(join(folder, 'index.ts'), indexOf(folder, { kind, title }));
}

/** Writes the module that lists the migrations of a database. */
function indexOf(folder: string, { kind, title }: Pick<Database, 'kind' | 'title'>): string {
  const files = readdirSync(folder)
    .filter((file) => /^\d+-.*\.ts$/.test(file))
    .sort();
  const classes = files.map((file) => /export class (\w+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1]);
  const entries = files.map(
    (file, index) =>
      `  { name: '${classes[index]}', load: async () => (await import('./${file}')).${classes[index]} },\n`,
  );
  return `import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for ${title}, oldest first. */
export const ${kind}Migrations: readonly MigrationEntry[] = [\n${entries.join('')}];\n`;
}

try {
  await main(process.argv[2]);
} catch (error) {
  if (!(error instanceof HorariumError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
