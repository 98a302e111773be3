import { checkAudit } from './check-audit.ts';
import { checkCatchUp } from './check-catch-up.ts';
import { checkExternal } from './check-external.ts';
import { checkRuns } from './check-runs.ts';
import { checkTasks } from './check-tasks.ts';
import { checkWindows } from './check-windows.ts';
import { Findings, readLedger } from './findings.ts';
import type { Remains } from './simulation.ts';

/** What one run showed. */
export interface TaskOutcome {
  /** Everything that is wrong, a sentence each. */
  readonly findings: readonly string[];
  /** The changes of states that happened. */
  readonly moves: ReadonlySet<string>;
  /** The hash of the last audit entry: two runs that are the same have the same. */
  readonly fingerprint: string | null;
}

/** Holds what is left of a simulation against everything that the service promises. */
export async function judgeAttempt(remains: Remains): Promise<TaskOutcome> {
  const { store, people } = remains;
  const ledger = await readLedger(store);
  const findings = new Findings();
  checkWindows(ledger, people.histories, findings);
  checkCatchUp(ledger, people.histories, findings);
  checkTasks(ledger, findings, people);
  checkRuns(ledger, remains, findings);
  checkExternal(ledger, remains, findings);
  const moves = await checkAudit(ledger, store, findings);
  const last = ledger.log.reduce<(typeof ledger.log)[number] | null>(
    (a, b) => ((a?.seq ?? 0) > (b.seq ?? 0) ? a : b),
    null,
  );
  return { findings: findings.sentences, moves, fingerprint: last?.hash ?? null };
}
