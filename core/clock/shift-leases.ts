import { shiftAgentLeases } from '../agent/agent-lease.ts';
import { shiftExternalLeases } from '../external/external-lease.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { shiftWorkerLeases } from '../worker/lease/worker-lease.ts';

/** Moves the leases of workers, of external attempts and of those on agents with the time of the service. */
export async function shiftLeases(tables: Tables, shift: Milliseconds): Promise<void> {
  await shiftWorkerLeases(tables, shift);
  await shiftExternalLeases(tables, shift);
  await shiftAgentLeases(tables, shift);
}
