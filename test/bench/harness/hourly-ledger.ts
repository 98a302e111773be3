import { RunTemplate } from '@horarium/core';
import { required } from '#core/store/rows';
import { Schedule } from '#core/template/schedule';
import type { BenchDatabase } from './databases.ts';
import { insertLedger, insertLedgerJobs, type TaskLedger } from './task-ledger.ts';
import { addTemplates, ceilToSecond } from './templates-due.ts';

const hour = 3_600_000;
const day = 24 * hour;

/**
 * Inserts a ledger, and makes its templates ones that are scheduled from then on: with windows of different kinds and
 * deadlines, in a zone whose clock changes. Every fifth of them has the jobs of its Tasks.
 */
export async function fillHourlyLedger(
  opened: BenchDatabase,
  { templates, windows, until }: Omit<TaskLedger, 'firstTemplate'>,
): Promise<void> {
  const at = ceilToSecond(Date.now() + day);
  const ids = await addTemplates(opened.store, { count: templates, executor: 'noop', at });
  const firstTemplate = required(ids[0], 'template');
  await insertLedger(opened, { firstTemplate, templates, windows, until });
  await opened.store.transaction(async (tables) => {
    const all = tables.of(RunTemplate);
    const hourly = { interval: 'hourly', cron: null, timezone: 'Europe/Prague', deadline: '+45m', jitter: 60 } as const;
    await all.updateWhere([], hourly);
    const some = (every: number) => ids.filter((_id, index) => index % every === 0);
    const custom = { interval: 'custom', cron: '15 6-20 * * 1-5', deadline: null } as const;
    await all.updateWhere([['id', 'in', some(10)]], custom);
    await all.updateWhere([['id', 'in', some(7)]], { interval: 'daily', cron: null, deadline: '08:00' });
    await tables
      .of(Schedule)
      .updateWhere([], { next_at: until + hour, next_window: until + hour, duration_mean: 60_000 });
  });
  const [template] = await opened.store.transaction((tables) => tables.of(RunTemplate).find({ limit: 1 }));
  await insertLedgerJobs(opened, { firstTemplate, every: 5, app: required(template, 'template').app_id });
}
