import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Job, type JobRow } from './job.ts';

/** Puts jobs aside until another one of their template ends. */
export async function blockJobs(tables: Tables, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tables.of(Job).updateWhere([['id', 'in', ids]], { queue_at: null });
}

const waits: Where<JobRow> = [
  ['state', '=', 'scheduled'],
  ['queue_at', '=', null],
];

/** Lets all waiting jobs of a template try again: the rules by which they wait have changed. */
export async function unblockAll(tables: Tables, templateId: number): Promise<void> {
  const where: Where<JobRow> = [['runtemplate_id', '=', templateId], ...waits];
  await tables.of(Job).updateWhere(where, { queue_at: await tables.now() });
}

/** Lets the waiting attempts of these Tasks try again, now that none of theirs runs any more. */
export async function unblockAttempts(tables: Tables, taskIds: readonly number[]): Promise<void> {
  if (taskIds.length === 0) return;
  await tables.of(Job).updateWhere([['task_id', 'in', taskIds], ...waits], { queue_at: await tables.now() });
}

/**
 * Lets the oldest waiting job of each template try again, now that one of its jobs has ended. One is enough: when it
 * ends, or cannot start, the next one gets its turn. The caller holds the templates' locks.
 */
export async function unblockNext(tables: Tables, templateIds: Iterable<number>): Promise<void> {
  const ids = [...new Set(templateIds)];
  if (ids.length === 0) return;
  const now = await tables.now();
  const waiting = await tables.of(Job).countBy(['runtemplate_id'], [['runtemplate_id', 'in', ids], ...waits]);
  for (const { values } of waiting) {
    const where: Where<JobRow> = [['runtemplate_id', '=', values[0]], ...waits];
    const [oldest] = await tables.of(Job).find({ where, order: [['scheduled_at', 'asc']], limit: 1, columns: ['id'] });
    if (oldest) await tables.of(Job).updateWhere([['id', '=', oldest.id]], { queue_at: now });
  }
}
