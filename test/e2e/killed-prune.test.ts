import { AuditLog, Job, RunTemplate, type Store, Task } from '@horarium/core';
import { expect } from 'chai';
import { AuditSpan } from '#core/audit/audit-span';
import { changesIn } from '#core/audit/shared-entries';
import { newRow } from '#core/store/table';
import { TaskTotal } from '#core/task/task-total';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { cliDatabases } from '../support/program/cli-databases.ts';
import { SpawnedProgram } from '../support/program/spawned-program.ts';
import type { TestCli } from '../support/program/test-cli.ts';

const day = 86_400_000;
const tasks = 6000;

for (const { database, openCli } of cliDatabases)
  describe(`prune that is killed on ${database}`, () => {
    let cli: TestCli;
    let store: Store & AsyncDisposable;

    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --executable true');
      await cli.command(
        'runtemplate:save --code night --name Night --company-id acme --app-id hello --interval hourly',
      );
      store = await openStore({ url: cli.environment['HORARIUM_DATABASE_URL'] as string });
      await insertOldTasks(store);
    });
    after(async () => {
      await store[Symbol.asyncDispose]();
      cli[Symbol.dispose]();
    });

    const count = (work: (tables: Parameters<Parameters<Store['transaction']>[0]>[0]) => Promise<number>) =>
      store.transaction(work, { readOnly: true });
    const left = () => count((tables) => tables.of(Task).count());
    const counted = () => count(async (tables) => (await tables.of(TaskTotal).sumBy([], ['missed']))[0]?.sums[0] ?? 0);

    it('has deleted whole Tasks, each with its jobs, its entry and its place in the totals', async () => {
      const program = new SpawnedProgram(['prune', '--retention-days=30'], cli);
      await eventually('some Tasks are deleted', async () => (await left()) < tasks, 60_000);
      program.process.kill('SIGKILL');
      await program.ended;
      const rest = await left();
      expect(rest).to.be.within(1, tasks - 1);
      expect(await counted()).to.equal(tasks - rest);
      expect(await count((tables) => tables.of(Job).count())).to.equal(rest);
      expect((await cli.command('audit:verify')).code).to.equal(0);
    });

    it('goes on when it is run again, and leaves an audit log that is intact', async () => {
      const { code, json } = await cli.command('prune --retention-days 30 --format json');
      expect(code).to.equal(0);
      // The newest Task of a template stays.
      expect(await left()).to.equal(1);
      expect(await counted()).to.equal(tasks - 1);
      expect(json.tasks).to.be.within(1, tasks - 1);
      const entries = await store.transaction((tables) =>
        tables.of(AuditLog).find({ where: [['action', '=', 'delete']] }),
      );
      const deleted = changesIn(entries).filter(({ entity_type }) => entity_type === 'Task');
      expect(new Set(deleted.map(({ entity_id }) => entity_id)).size).to.equal(tasks - 1);
      expect(await count((tables) => tables.of(AuditSpan).count())).to.be.greaterThan(0);
      expect(await cli.command('audit:verify')).to.include({ code: 0 });
    });
  });

/** Inserts Tasks that were missed a year ago, each with a job that was skipped, past the audit. */
async function insertOldTasks(store: Store): Promise<void> {
  const written = { revision: 1, created_at: 0, updated_at: 0 };
  await store.transaction(async (tables) => {
    const [template] = await tables.of(RunTemplate).find();
    const { id: runtemplate_id, company_id, app_id } = template as NonNullable<typeof template>;
    const first = Math.floor((await tables.now()) - 365 * day);
    const rows = Array.from({ length: tasks }, (_, at) => {
      const window_start = first + at * 1000;
      const times = { window_start, window_end: window_start + 1000, deadline: window_start + 1000 };
      const ended = { state: 'missed', ended_at: times.deadline } as const;
      return { ...newRow(Task, { runtemplate_id, company_id, ...times, ...ended }), ...written };
    });
    const ids = await tables.of(Task).insert(rows);
    const jobs = ids.map((task_id, at) => {
      const ended = { state: 'skipped', scheduled_at: first + at * 1000, finished_at: first + at * 1000 } as const;
      return { ...newRow(Job, { runtemplate_id, company_id, app_id, task_id, ...ended }), ...written };
    });
    await tables.of(Job).insert(jobs);
  });
}
