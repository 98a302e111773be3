import { RunTemplate, Task, type TaskState, trustedActor } from '@horarium/core';
import { required } from '#core/store/rows';
import { Schedule } from '#core/template/schedule';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { openDatabase } from '../harness/databases.ts';
import { quantile, timed } from '../harness/rounds.ts';
import { insertLedger, insertLedgerJobs } from '../harness/task-ledger.ts';
import { addTemplates, ceilToSecond } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'summary and why with 10,000 templates and 10,000,000 Tasks';
const templates = 10_000;
const windows = 1000;
const calls = 50;
const hour = 3_600_000;
const year = 365 * 24 * hour;

/** Of how many templates the ledger has one with its jobs, 1000 each: `why` is asked of those. */
const every = 7;

/**
 * Measures a summary of the last 24 hours, in which 240,000 Tasks have ended, and of two of its hours; and why Tasks and
 * templates run or not, fifty different ones each.
 */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    const ids = await addTemplates(opened.store, {
      count: templates,
      executor: 'noop',
      at: ceilToSecond(Date.now() + year / 2),
    });
    const until = Math.floor(Date.now() / hour) * hour;
    await insertLedger(opened, { firstTemplate: ids[0] as number, templates, windows, until });
    await opened.store.transaction((tables) =>
      tables.of(Schedule).updateWhere([], { duration_mean: 60_000, duration_deviation: 1000 }),
    );
    const [template] = await opened.store.transaction((tables) => tables.of(RunTemplate).find({ limit: 1 }));
    const { app_id: app } = required(template, 'template');
    await insertLedgerJobs(opened, { firstTemplate: ids[0] as number, every, app });
    const core = benchCore(opened.store, new NoopExecutor(), 8);
    await core.start();
    const actor = trustedActor('bench');
    const day = { from: until - 24 * hour };
    const measure = async (label: string, work: () => Promise<unknown>, max?: number) => {
      const times: number[] = [];
      for (let call = 0; call < calls; call++) times.push(await timed(work));
      report.figure(
        `${database}, ${label}, median`,
        quantile(times, 0.5),
        'ms',
        max === undefined ? undefined : { max },
      );
      report.figure('   p99', quantile(times, 0.99), 'ms');
    };
    await measure('the last 24 hours (240,000 Tasks)', () => core.summary(actor, day), 50);
    await measure('the same of one company', () => core.summary(actor, { ...day, company_id: 1 }), 50);
    await measure('the last two hours', () => core.summary(actor, { from: until - 2 * hour }), 50);
    await measure('a range of a week ago', () =>
      core.summary(actor, { from: until - 8 * 24 * hour, to: until - 7 * 24 * hour }),
    );
    const chosen = ids.filter((_id, index) => index % every === 0);
    const tasksIn = (state: TaskState, since = 0) =>
      core.store.read((tables) =>
        tables.of(Task).find({
          where: [
            ['runtemplate_id', 'in', chosen],
            ['state', '=', state],
            ['window_start', '>=', since],
          ],
          order: [['window_start', 'desc']],
          limit: calls,
          columns: ['id', 'runtemplate_id'],
        }),
      );
    const failed = await tasksIn('failed');
    const lastFailed = (await tasksIn('failed', until - hour)).map(({ runtemplate_id }) => runtemplate_id);
    for (const id of lastFailed)
      for (let change = 0; change < 20; change++)
        await core.records(RunTemplate).save(actor, { note: `${change}` }, { id });
    const whyOf = (kind: 'Task' | 'RunTemplate', of: readonly number[]) => {
      let next = 0;
      return () => core.why(actor, { kind, id: of[next++ % of.length] as number });
    };
    await measure('why a template runs', whyOf('RunTemplate', chosen), 50);
    await measure('why a template whose last Task failed, 20 changes', whyOf('RunTemplate', lastFailed), 50);
    const byState = { failed, missed: await tasksIn('missed'), open: await tasksIn('open') };
    for (const [state, tasks] of Object.entries(byState)) {
      const of = tasks.map(({ id }) => id);
      await measure(`why a Task that is ${state}`, whyOf('Task', of), 50);
    }
    await core.stop(0);
  }
}
