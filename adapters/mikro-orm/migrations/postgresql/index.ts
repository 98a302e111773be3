import type { MigrationEntry } from '../../schema/schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122121947_initial',
    load: async () => (await import('./20261122121947-initial.ts')).Migration20261122121947_initial,
  },
];
