import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261123170024_initial',
    load: async () => (await import('./20261123170024-initial.ts')).Migration20261123170024_initial,
  },
];
