import type { MigrationEntry } from '../../schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261122093847_initial',
    load: async () => (await import('./20261122093847-initial.ts')).Migration20261122093847_initial,
  },
];
