import type { MigrationEntry } from '../../schema.ts';

/** All migrations for PostgreSQL, oldest first. */
export const postgresMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261121082951_initial',
    load: async () => (await import('./20261121082951-initial.ts')).Migration20261121082951_initial,
  },
  {
    name: 'Migration20261121085204_job_queue',
    load: async () => (await import('./20261121085204-job-queue.ts')).Migration20261121085204_job_queue,
  },
  {
    name: 'Migration20261121092540_repeats_and_guesses',
    load: async () =>
      (await import('./20261121092540-repeats-and-guesses.ts')).Migration20261121092540_repeats_and_guesses,
  },
  {
    name: 'Migration20261121093433_queue_order',
    load: async () => (await import('./20261121093433-queue-order.ts')).Migration20261121093433_queue_order,
  },
  {
    name: 'Migration20261121223016_arrears',
    load: async () => (await import('./20261121223016-arrears.ts')).Migration20261121223016_arrears,
  },
  {
    name: 'Migration20261121224017_external_leases',
    load: async () => (await import('./20261121224017-external-leases.ts')).Migration20261121224017_external_leases,
  },
  {
    name: 'Migration20261121231423_vault_keys_of_workers',
    load: async () =>
      (await import('./20261121231423-vault-keys-of-workers.ts')).Migration20261121231423_vault_keys_of_workers,
  },
  {
    name: 'Migration20261121231850_queue_by_executor',
    load: async () => (await import('./20261121231850-queue-by-executor.ts')).Migration20261121231850_queue_by_executor,
  },
];
