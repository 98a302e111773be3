import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122210814_initial',
    load: async () => (await import('./20261122210814-initial.ts')).Migration20261122210814_initial,
  },
];
