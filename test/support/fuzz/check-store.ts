import type { Hmac, Store } from '@horarium/core';
import { checkAudit } from '../simulation/check-audit.ts';
import { checkTasks } from '../simulation/check-tasks.ts';
import { Findings, readLedger } from '../simulation/findings.ts';

/** What is wrong in a store that was served and is not any more: its Tasks, its audit log, the seals of that. */
export async function checkStore(store: Store, hmac: Hmac): Promise<string[]> {
  const findings = new Findings();
  const ledger = await readLedger(store);
  // Nobody can tell any more how a Task ended whose jobs were deleted.
  const deleted = ledger.log.filter(({ action, entity_type }) => action === 'delete' && entity_type === 'Job');
  const untold = new Set(deleted.map(({ changes }) => changes['task_id']?.[0]));
  checkTasks({ ...ledger, tasks: ledger.tasks.filter(({ id }) => !untold.has(id)) }, findings);
  await checkAudit(ledger, store, findings, hmac);
  return findings.sentences;
}
