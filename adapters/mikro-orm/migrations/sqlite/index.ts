import type { MigrationEntry } from '../../schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122115846_initial',
    load: async () => (await import('./20261122115846-initial.ts')).Migration20261122115846_initial,
  },
];
