import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Job, type JobRow } from './job.ts';

/**
 * Selects blocked jobs: due ones that may not start while another job of their template runs. A blocked job stays
 * `scheduled` but leaves the queue (`queue_at` null) until another job of the template ends.
 */
const blocked: Where<JobRow> = [
  ['state', '=', 'scheduled'],
  ['queue_at', '=', null],
];

/** Whether a job that has not started is blocked. */
export function isBlocked({ queue_at }: Pick<JobRow, 'queue_at'>): boolean {
  return queue_at === null;
}

/** Blocks jobs until another one of their template ends. */
export async function blockJobs(tables: Tables, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tables.of(Job).updateWhere([['id', 'in', ids]], { queue_at: null });
}

/** Unblocks all jobs of a template, because the overlap rule that blocked them has changed. */
export async function unblockAll(tables: Tables, templateId: number): Promise<void> {
  const where: Where<JobRow> = [['runtemplate_id', '=', templateId], ...blocked];
  await tables.of(Job).updateWhere(where, { queue_at: await tables.now() });
}

/** Unblocks the pending attempts of these Tasks; the caller has ended their running ones. */
export async function unblockAttempts(tables: Tables, taskIds: readonly number[]): Promise<void> {
  if (taskIds.length === 0) return;
  await tables.of(Job).updateWhere([['task_id', 'in', taskIds], ...blocked], { queue_at: await tables.now() });
}

/**
 * Unblocks the oldest blocked job of each of these templates, after a job of theirs has ended. One is enough: when that
 * one ends or cannot start, it unblocks the next. The caller has locked the templates.
 */
export async function unblockOldest(tables: Tables, templateIds: Iterable<number>): Promise<void> {
  const ids = [...new Set(templateIds)];
  if (ids.length === 0) return;
  const now = await tables.now();
  const counts = await tables.of(Job).countBy(['runtemplate_id'], [['runtemplate_id', 'in', ids], ...blocked]);
  for (const { values } of counts) {
    const where: Where<JobRow> = [['runtemplate_id', '=', values[0]], ...blocked];
    const [oldest] = await tables.of(Job).find({ where, order: [['scheduled_at', 'asc']], limit: 1, columns: ['id'] });
    if (oldest) await tables.of(Job).updateWhere([['id', '=', oldest.id]], { queue_at: now });
  }
}

/** Lists the ids of all templates with blocked jobs, ascending. */
export async function templatesWithBlockedJobs(tables: Tables): Promise<number[]> {
  const counts = await tables.of(Job).countBy(['runtemplate_id'], blocked);
  return counts.map(({ values }) => values[0]).sort((a, b) => a - b);
}
