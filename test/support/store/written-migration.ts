import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MigrationEntry } from '../../../adapters/mikro-orm/schema/schema.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';

/** A migration as its file has it. */
export interface WrittenMigration extends MigrationEntry {
  readonly statements: readonly string[];
}

/** Writes the migration from the schema of a store to its tables, as `npm run migration` does, and imports it. */
export async function writtenMigration({ schema }: SqlStore, name: string): Promise<WrittenMigration> {
  const folder = temporaryFolder('migration');
  try {
    const time = new Date();
    const statements = await schema.writeMigration(folder, name, time);
    symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'));
    const file = join(folder, `${time.toISOString().replace(/\D/g, '').slice(0, 14)}-${name}.ts`);
    const [[exported, migration] = []] = Object.entries(await import(pathToFileURL(file).href));
    return { name: `${exported}`, load: async () => migration as never, statements };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
