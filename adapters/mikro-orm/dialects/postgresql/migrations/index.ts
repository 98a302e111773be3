import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresqlMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122205025_initial',
    load: async () => (await import('./20261122205025-initial.ts')).Migration20261122205025_initial,
  },
];
