import type { MigrationEntry } from '../../schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261121082951_initial',
    load: async () => (await import('./20261121082951-initial.ts')).Migration20261121082951_initial,
  },
  {
    name: 'Migration20261121085203_job_queue',
    load: async () => (await import('./20261121085203-job-queue.ts')).Migration20261121085203_job_queue,
  },
  {
    name: 'Migration20261121092539_repeats_and_guesses',
    load: async () =>
      (await import('./20261121092539-repeats-and-guesses.ts')).Migration20261121092539_repeats_and_guesses,
  },
  {
    name: 'Migration20261121093433_queue_order',
    load: async () => (await import('./20261121093433-queue-order.ts')).Migration20261121093433_queue_order,
  },
  {
    name: 'Migration20261121223015_arrears',
    load: async () => (await import('./20261121223015-arrears.ts')).Migration20261121223015_arrears,
  },
  {
    name: 'Migration20261121224017_external_leases',
    load: async () => (await import('./20261121224017-external-leases.ts')).Migration20261121224017_external_leases,
  },
  {
    name: 'Migration20261121231422_vault_keys_of_workers',
    load: async () =>
      (await import('./20261121231422-vault-keys-of-workers.ts')).Migration20261121231422_vault_keys_of_workers,
  },
  {
    name: 'Migration20261121231848_queue_by_executor',
    load: async () => (await import('./20261121231848-queue-by-executor.ts')).Migration20261121231848_queue_by_executor,
  },
];
