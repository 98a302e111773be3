import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresqlMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122211752_initial',
    load: async () => (await import('./20261122211752-initial.ts')).Migration20261122211752_initial,
  },
];
