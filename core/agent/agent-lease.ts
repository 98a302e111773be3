import { count, instant, integer, ref, text } from '../field/fields.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** The lease of an attempt that runs on an agent, and how far its reports are committed. */
export const AgentLease = defineBookkeeping({
  name: 'AgentLease',
  fields: {
    job_id: ref('Job', { unique: true, onDelete: 'cascade' }).required(),
    agent: text(63, { indexed: true }).required(),
    /** The random id of the claim that gave the agent this attempt, never used again: a fencing token of its reports. */
    claim: text(64, { indexed: true }).required(),
    /** When the lease runs out unless the agent shows that it is alive. */
    ends_at: instant({ indexed: true }).required(),
    /** The number of the last report that is committed; the first one has the number 1. */
    reported: count(0),
    /** Bytes of stored output. */
    output_size: count(0),
    /** The ends of its streams that may begin a secret, and are not stored yet, encrypted; null = there are none. */
    kept: text(16 * 1024 * 1024),
    /** The artifact whose pieces are being reported; null = none, or one that is not stored. */
    artifact_id: integer(),
    /** How many bytes of that file are still to be reported, also of one that is not stored. */
    artifact_left: integer().default(0).nonNullable(),
    /** How many pieces of it are stored. */
    artifact_pieces: count(0),
    /** How many of its files are not stored. */
    unstored: count(0),
    /** Why the first of them is not. */
    unstored_reason: text(1024),
  },
});
export type AgentLeaseRow = RowOfTable<typeof AgentLease>;

/** Locks the leases of these jobs, by the id of the job, in the order of the ids. */
export async function lockAgentLeases(tables: Tables, jobIds: readonly number[]): Promise<Map<number, AgentLeaseRow>> {
  if (jobIds.length === 0) return new Map();
  const where = [['job_id', 'in', [...new Set(jobIds)]]] as const;
  const leases = await tables.of(AgentLease).find({ where, order: [['job_id', 'asc']], lock: 'wait' });
  return new Map(leases.map((lease) => [lease.job_id, lease]));
}

/** Deletes the leases of attempts that have ended. */
export async function deleteAgentLeases(tables: Tables, jobIds: readonly number[]): Promise<void> {
  if (jobIds.length > 0) await tables.of(AgentLease).delete([['job_id', 'in', jobIds]]);
}

/** Moves all leases with the time of the service, so that each lasts as long as it did before. */
export async function shiftAgentLeases(tables: Tables, shift: Milliseconds): Promise<void> {
  const leases = await tables.of(AgentLease).find({ lock: 'wait' });
  await tables.of(AgentLease).update(leases.map((row) => ({ row, set: { ends_at: row.ends_at + shift } })));
}
