import { createHash } from 'node:crypto';
import type { SimulationResult } from '../simulation.ts';
import { readAgentState } from './agent-state.ts';
import { checkAgents } from './check-agents.ts';
import { checkAudit } from './check-audit.ts';
import { checkCatchUp } from './check-catch-up.ts';
import { checkDeaths } from './check-deaths.ts';
import { checkEvents, checkReports } from './check-events.ts';
import { checkExternalJobs } from './check-external-jobs.ts';
import { checkPauses } from './check-pauses.ts';
import { checkPlaces } from './check-places.ts';
import { checkRuns } from './check-runs.ts';
import { checkTasks } from './check-tasks.ts';
import { checkWindows } from './check-windows.ts';
import { Findings, readFinalState } from './findings.ts';

export interface SimulationReport {
  /** Every violated invariant, a sentence each. */
  readonly findings: readonly string[];
  /** The transitions that Tasks and Jobs made. */
  readonly transitions: ReadonlySet<string>;
  /** A digest of all audit entries but for what is random in them: identical runs have the same. */
  readonly fingerprint: string;
}

/** Checks what a simulation left in the store against everything that the service promises. */
export async function checkInvariants(result: SimulationResult): Promise<SimulationReport> {
  const { store, people } = result;
  const final = await readFinalState(store);
  const findings = new Findings();
  checkWindows(final, people, findings);
  checkCatchUp(final, result, findings);
  checkTasks(final, findings, people);
  checkDeaths(final, result, findings);
  const { fleet, runs: ofHosts } = result;
  const runs = [...ofHosts, ...(fleet?.record.runs ?? [])];
  checkRuns(final, { ...result, runs }, findings);
  checkPlaces(final, { runs }, findings);
  checkAgents(final, result, await readAgentState(store), findings);
  checkPauses(final, result, findings);
  checkExternalJobs(final, result, findings);
  checkEvents(final, findings);
  checkReports(final, people.events.reported, findings);
  const transitions = await checkAudit(final, store, findings);
  const entries = final.log.map(({ nonce: _nonce, mac: _mac, hash: _hash, ...entry }) => entry);
  const fingerprint = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  return { findings: findings.violations, transitions, fingerprint };
}
