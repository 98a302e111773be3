import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261123181013_initial',
    load: async () => (await import('./20261123181013-initial.ts')).Migration20261123181013_initial,
  },
  {
    name: 'Migration20261125225349_event_tries',
    load: async () => (await import('./20261125225349-event-tries.ts')).Migration20261125225349_event_tries,
  },
];
