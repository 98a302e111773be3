import type { Hmac, Store } from '@horarium/core';
import { checkAudit } from '../simulation/invariants/check-audit.ts';
import { checkTasks } from '../simulation/invariants/check-tasks.ts';
import { Findings, readFinalState } from '../simulation/invariants/findings.ts';

/** Checks the Tasks and the audit log in the store of a service that has ended. @returns a sentence for each violated invariant. */
export async function checkStore(store: Store, hmac: Hmac): Promise<string[]> {
  const findings = new Findings();
  const state = await readFinalState(store);
  // The end of a Task cannot be checked once its jobs are deleted.
  const deleted = state.log.filter(({ action, entity_type }) => action === 'delete' && entity_type === 'Job');
  const unchecked = new Set(deleted.map(({ changes }) => changes['task_id']?.[0]));
  checkTasks({ ...state, tasks: state.tasks.filter(({ id }) => !unchecked.has(id)) }, findings);
  await checkAudit(state, store, findings, hmac);
  return findings.violations;
}
