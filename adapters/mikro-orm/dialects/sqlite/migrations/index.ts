import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122211751_initial',
    load: async () => (await import('./20261122211751-initial.ts')).Migration20261122211751_initial,
  },
];
