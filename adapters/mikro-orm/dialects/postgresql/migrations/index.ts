import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresqlMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122210815_initial',
    load: async () => (await import('./20261122210815-initial.ts')).Migration20261122210815_initial,
  },
];
