import type { MigrationEntry } from '../../schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122115847_initial',
    load: async () => (await import('./20261122115847-initial.ts')).Migration20261122115847_initial,
  },
];
