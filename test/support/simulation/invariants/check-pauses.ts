import { Pause, type PauseRow } from '@horarium/core';
import type { SimulationResult } from '../simulation.ts';
import type { FinalState, Findings } from './findings.ts';

/** Checks that no job started in a pause, and that each pause has ended and released what it held. */
export function checkPauses(
  { records }: FinalState,
  { people }: Pick<SimulationResult, 'people'>,
  findings: Findings,
): void {
  for (const started of people.pausing.startedInPause) findings.check(false, () => started);
  for (const { id, ended_at, released_at } of records.get(Pause.name) as readonly PauseRow[])
    findings.check(ended_at !== null && released_at !== null, () => `Pause ${id} has not ended.`);
}
