import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { Schedule, scheduleSpecFields } from '../template/schedule.ts';
import { dueAt } from '../time/due.ts';
import { windowAtOrAfter } from '../time/windows.ts';
import type { Scope } from './scope.ts';

/** The job that starts next, if a worker is free: one that waits for its time, or the first of a window that lies ahead. */
export interface NextRun {
  readonly at: Instant;
  readonly runtemplate_id: number;
  readonly company_id: number;
}

/** How many of the windows that begin first are looked at: one of them may have its job earlier than one before it. */
const maxLooked = 100;

/** Finds the job that starts next; null = none will. */
export async function findNextRun(tables: Tables, scope: Scope, now: Instant): Promise<NextRun | null> {
  const [[queued], schedules] = await Promise.all([
    tables.of(Job).find({
      where: [['queue_at', '>', now], ...scope],
      order: [['queue_at', 'asc']],
      limit: 1,
      columns: ['queue_at', 'runtemplate_id', 'company_id'],
    }),
    tables.of(Schedule).find({
      where: [['next_at', '!=', null], ...scope],
      order: [
        ['next_at', 'asc'],
        ['company_id', 'asc'],
      ],
      limit: maxLooked,
      columns: ['next_window', 'runtemplate_id', 'company_id'],
    }),
  ]);
  const ids = schedules.map(({ runtemplate_id }) => runtemplate_id);
  const templates = await readByIds(tables, RunTemplate, ids, scheduleSpecFields);
  const ofWindows = schedules.flatMap(({ next_window, runtemplate_id, company_id }): NextRun[] => {
    const template = templates.get(runtemplate_id);
    const window = template && next_window !== null ? windowAtOrAfter(template, next_window) : null;
    if (!template || !window) return [];
    // A window that has just begun gets its Task within a moment.
    return [{ at: Math.max(now, dueAt(template, window, runtemplate_id)), runtemplate_id, company_id }];
  });
  const waiting = queued ? [{ ...queued, at: queued.queue_at ?? now }] : [];
  const [first] = [...waiting, ...ofWindows].sort((one, other) => one.at - other.at);
  return first ? { at: first.at, runtemplate_id: first.runtemplate_id, company_id: first.company_id } : null;
}
