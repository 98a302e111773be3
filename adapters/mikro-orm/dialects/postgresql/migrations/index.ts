import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresqlMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261123181024_initial',
    load: async () => (await import('./20261123181024-initial.ts')).Migration20261123181024_initial,
  },
  {
    name: 'Migration20261125225357_event_tries',
    load: async () => (await import('./20261125225357-event-tries.ts')).Migration20261125225357_event_tries,
  },
];
