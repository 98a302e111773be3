import { count, instant, integer, text } from '../field/fields.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/**
 * One running host process that runs jobs. Its lease covers all of them: while it renews this one row they are its
 * own; once the lease has run out, others mark them lost and it may not complete them any more.
 */
export const Worker = defineBookkeeping({
  name: 'Worker',
  fields: {
    /** Names one life of one process: a restart is another worker. Jobs carry it as their fencing token. */
    name: text(128, { unique: true }).required(),
    host: text(255).required(),
    pid: integer().required(),
    started_at: instant().required(),
    lease_until: instant({ indexed: true }).required(),
    capacity: count(0),
    /** The fingerprints of the vault keys that it has, separated by commas. */
    vault_keys: text(65_535, { hidden: true }),
  },
});
export type WorkerRow = RowOfTable<typeof Worker>;

/** The jobs that this worker runs. */
export function runningUnder(worker: string) {
  return [
    ['state', '=', 'running'],
    ['worker', '=', worker],
  ] as const;
}

/** Names the processes whose lease lives and whose vault lacks the key with this fingerprint. */
export async function workersWithoutKey(tables: Tables, fingerprint: string): Promise<string[]> {
  const alive = await tables.of(Worker).find({ where: [['lease_until', '>', await tables.now()]] });
  return alive
    .filter(({ vault_keys }) => !vault_keys?.split(',').includes(fingerprint))
    .map(({ host, pid }) => `process ${pid} on ${host}`);
}
