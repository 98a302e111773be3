import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import type { MikroOrmStore } from '../../../adapters/mikro-orm/mikro-orm-store.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { databaseKinds } from '../store/test-databases.ts';

type Database = (typeof ormDatabases)[number];

/** Writes the migrations from the latest schema to that of the resources, for every database: `npm run migration -- NAME`. */
async function main(name = 'change'): Promise<void> {
  for (const database of ormDatabases) {
    const { url, drop } = await databaseKinds[database.kind].create();
    const store = (await openStore({ url })) as MikroOrmStore;
    try {
      await write(database, name, store);
    } finally {
      await store.close();
      await drop();
    }
  }
}

async function write(database: Database, name: string, { schema }: MikroOrmStore): Promise<void> {
  const folder = join(process.cwd(), 'adapters', 'mikro-orm', 'dialects', database.kind, 'migrations');
  await schema.migrate();
  const written = await schema.writeMigration(folder, name);
  console.log(written ? `${database.kind}: written.` : `${database.kind}: nothing to do.`);
  writeIndex(folder, database);
}

/** Writes the module that lists the migrations of a database. */
function writeIndex(folder: string, { kind, title }: Database): void {
  const files = readdirSync(folder)
    .filter((file) => /^\d+-.*\.ts$/.test(file))
    .sort();
  const classes = files.map((file) => /export class (\w+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1]);
  const entries = files.map(
    (file, index) =>
      `  { name: '${classes[index]}', load: async () => (await import('./${file}')).${classes[index]} },\n`,
  );
  writeFileSync(
    join(folder, 'index.ts'),
    `import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for ${title}, oldest first. */
export const ${kind}Migrations: readonly MigrationEntry[] = [\n${entries.join('')}];\n`,
  );
}

await main(process.argv[2]);
