import {
  allTables,
  type JobRow,
  LockTimeout,
  type RunTemplateRow,
  type Store,
  Task,
  trustedActor,
} from '@horarium/core';
import { expect } from 'chai';
import pg from 'pg';
import { JobOutput } from '#core/job/job-output';
import { stalledWait } from '#core/loop/loop';
import { DailyUsage, type DailyUsageRow, noDailyLimits } from '#core/quota/daily-usage';
import { Schedule } from '#core/template/schedule';
import type { Runner } from '#core/worker/runner';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

describe('Background work on PostgreSQL, while an operator has locked a row', () => {
  let url: string;
  let operator: pg.Client;
  let store: Store;
  let world: RunnerWorld;
  let runner: Runner;
  let own: RunTemplateRow;
  let other: RunTemplateRow;

  before(async () => {
    url = await createDatabase();
    const opened = await openPostgresStore({ url, tables: allTables, lockTimeout: 500 });
    await opened.schema.migrate();
    store = opened;
    operator = new pg.Client({ connectionString: url });
    await operator.connect();
  });

  after(async () => {
    await operator.end();
    await store.close();
    await dropDatabase(url);
  });

  beforeEach(async () => {
    await operator.query('truncate horarium_app, horarium_company, horarium_worker_lease cascade');
    class PostgresWorld extends RunnerWorld {
      protected override openStore(): Store {
        return store.background as Store;
      }
    }
    world = new PostgresWorld();
    runner = world.worker();
    const yearly = async (code: string) => {
      const owners = { app_id: await world.app(code), company_id: await world.company(code, { max_running: 5 }) };
      return world.template({ interval: 'yearly', max_attempts: 3, ...owners });
    };
    own = await yearly('own');
    other = await yearly('other');
  });

  afterEach(async () => {
    await operator.query('rollback');
  });

  /** Lets this year's window be the next one of each template. */
  async function letWindowsBegin(): Promise<void> {
    const begun = Date.UTC(new Date().getUTCFullYear(), 0, 1);
    await world.audited.transaction(trustedActor('test'), (tables) =>
      tables.of(Schedule).updateWhere([], { next_at: begun, next_window: begun }),
    );
  }

  /** Locks a row as an open transaction of psql does. */
  async function lock(table: string, id: number): Promise<void> {
    await operator.query('begin');
    await operator.query(`select * from ${table} where id = ${id} for update`);
  }

  /** @throws Error when the work waits for the lock, which is held until the work has ended. */
  async function withoutWaiting<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    let waits = false;
    while (!isDone && !waits) waits = await isWaitedFor();
    if (waits) await operator.query('rollback');
    const result = await done;
    if (waits) throw new Error('The work waits for the lock.');
    return result;
  }

  /** Whether another session waits for a lock that the operator holds. */
  async function isWaitedFor(): Promise<boolean> {
    const waiting = 'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
    return (await operator.query(waiting)).rows.length > 0;
  }

  const tasksOf = (template: RunTemplateRow) =>
    world.audited.read((tables) => tables.of(Task).find({ where: [['runtemplate_id', '=', template.id]] }));
  const jobsOf = async (template: RunTemplateRow): Promise<JobRow[]> =>
    (await world.allJobs()).filter((job) => job.runtemplate_id === template.id);

  const rows: readonly (readonly [what: string, table: string, id: () => number])[] = [
    ['template', 'horarium_run_template', () => own.id],
    ['App', 'horarium_app', () => own.app_id],
    ['company', 'horarium_company', () => own.company_id],
  ];
  for (const [what, table, id] of rows) {
    it(`schedules and runs the windows of others when it is a ${what}, and its own once it is released`, async () => {
      await letWindowsBegin();
      await lock(table, id());
      await withoutWaiting(world.schedule());
      expect(await tasksOf(other)).to.have.length(1);
      expect(await tasksOf(own)).to.have.length(0);
      await withoutWaiting(runUntilIdle(runner));
      expect((await jobsOf(other)).map((job) => job.state)).to.deep.equal(['running']);
      await operator.query('rollback');
      await letWindowsBegin();
      await world.schedule();
      expect(await tasksOf(own)).to.have.length(1);
    });

    it(`starts the jobs of others, and stores how they end and their retries, when it is a ${what}`, async () => {
      await letWindowsBegin();
      await world.schedule();
      await lock(table, id());
      await withoutWaiting(runUntilIdle(runner));
      const [theirs] = (await jobsOf(other)) as [JobRow];
      expect(theirs.state).to.equal('running');
      await operator.query('rollback');
      await runUntilIdle(runner);
      const [ours] = (await jobsOf(own)) as [JobRow];
      expect(ours.state).to.equal('running');
      await lock(table, id());
      for (const { id: job } of [ours, theirs]) await world.executor.end(job, 1);
      await withoutWaiting(runUntilIdle(runner));
      expect((await jobsOf(other)).map((job) => job.state)).to.deep.equal(['failed', 'running']);
      expect((await jobsOf(own)).map((job) => job.state)).to.deep.equal(['running']);
      await operator.query('rollback');
      await world.time.pass(stalledWait);
      await runUntilIdle(runner);
      expect((await jobsOf(own)).map((job) => job.state)).to.deep.equal(['failed', 'running']);
    });
  }

  it('stores the output of jobs when it counts what their company has stored, and counts the rest once it is released', async () => {
    await operator.query('truncate horarium_daily_usage');
    world.dailyLimits = { ...noDailyLimits, maxOutputPerDay: 1000 };
    runner = world.worker();
    await letWindowsBegin();
    await world.schedule();
    await withoutWaiting(runUntilIdle(runner));
    const [{ id }] = (await jobsOf(own)) as [JobRow];
    const write = async (text: string) => {
      await world.executor.write(id, text);
      await world.time.pass(200);
      await withoutWaiting(runUntilIdle(runner));
    };
    const counted = () => world.audited.read((tables) => tables.of(DailyUsage).find());
    await write('12');
    const [usage] = (await counted()) as [DailyUsageRow];
    await lock('horarium_daily_usage', usage.id);
    await write('345');
    const chunks = await world.audited.read((tables) => tables.of(JobOutput).find({ where: [['job_id', '=', id]] }));
    expect(Buffer.concat(chunks.map(({ data }) => data as Uint8Array)).toString()).to.equal('12345');
    expect(await counted()).to.deep.equal([usage]);
    await operator.query('rollback');
    await write('6');
    expect(await counted()).to.deep.equal([{ ...usage, output: 6 }]);
  });

  it('marks the jobs of others lost when their worker has died, and those of the locked row once it is released', async () => {
    await letWindowsBegin();
    await world.schedule();
    await runUntilIdle(runner);
    await operator.query(`update horarium_worker_lease set lease_until = now() - interval '1 minute'`);
    await lock('horarium_company', own.company_id);
    await withoutWaiting(world.reaper.tick());
    const states = async (template: RunTemplateRow) => (await jobsOf(template)).map((job) => job.state);
    expect(await states(other)).to.deep.equal(['lost', 'scheduled']);
    expect(await states(own)).to.deep.equal(['running']);
    await operator.query('rollback');
    while ((await world.reaper.tick()) === 0);
    expect(await states(own)).to.deep.equal(['lost', 'scheduled']);
    expect((await world.workers()).filter(({ lost_at }) => lost_at === null)).to.deep.equal([]);
  });

  it('gives up a tick that waits for a table that another program has locked, so that this is reported', async () => {
    await letWindowsBegin();
    await operator.query('begin; lock table horarium_job in access exclusive mode');
    expect(await rejectionOf(world.scheduler.tick())).to.be.instanceOf(LockTimeout);
    await operator.query('rollback');
    await world.schedule();
    expect(await tasksOf(own)).to.have.length(1);
  });
});
