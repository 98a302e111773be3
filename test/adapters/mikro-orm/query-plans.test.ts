import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Actor, Company, Job, systemClock, type Tables, Task, trustedActor } from '@horarium/core';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import sinon from 'sinon';
import { noCalendarRules } from '#core/calendar/calendars';
import { allResources, tablesOf } from '#core/resources';
import { newRow } from '#core/store/table';
import { summarize } from '#core/summary/summarize';
import { countByState, countTasks, templatesWithTasksIn } from '#core/timeline/timeline-tasks';
import { nextQueued, readDueJobs } from '#core/worker/due-jobs';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

/** Opens a new SQLite store, and returns how it would find the rows of a table for the statements of some work, by their SQL. */
async function plansOf(
  { table }: { readonly table: string },
  fill: (handle: Database.Database) => void,
  work: (tables: Tables) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const folder = temporaryFolder('plans');
  const file = join(folder, 'a.sqlite');
  const store = await openSqliteStore({ file, tables: tablesOf(allResources), clock: systemClock });
  const prepared = sinon.spy(Database.prototype, 'prepare');
  try {
    await store.schema.create();
    const handle = new Database(file);
    handle.pragma('foreign_keys = off');
    fill(handle);
    prepared.resetHistory();
    await store.transaction(work);
    const statements = prepared.args
      .map(([sql]) => sql)
      .filter((sql) => new RegExp(`^select .* from "${table}"`).test(sql));
    const plans = statements.map((sql) => {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      const steps = handle.prepare(`explain query plan ${sql}`).all(values) as { detail: string }[];
      return [sql, steps.map(({ detail }) => detail).join('; ')] as const;
    });
    handle.close();
    return new Map(plans);
  } finally {
    prepared.restore();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

describe('Statements that look for due jobs on SQLite', () => {
  it('read the queue alone, in its order, however many jobs have ended', async () => {
    const executors = ['native', 'container'];
    // With more due jobs than wanted the worker steps through the companies.
    const fill = (handle: Database.Database) => {
      for (const company_id of [1, 1, 2]) insertDueJob(handle, company_id);
    };
    const plans = await plansOf(Job, fill, async (tables) => {
      await nextQueued(tables, executors);
      const slots = { capacity: 10, used: new Map([[1, 10]]) };
      await readDueJobs(tables, { executors, slots, max: 1, last: 0 });
    });
    expect(plans.size).to.be.above(1);
    for (const [sql, plan] of plans) {
      expect(plan, sql).to.match(/horarium_job USING (COVERING )?INDEX horarium_job_\w*(queue_at|caught_up)/);
      expect(plan, sql).not.to.match(/SCAN horarium_job|TEMP B-TREE/);
    }
  });
});

describe('The statements of a summary on SQLite', () => {
  const everyone = trustedActor('test');
  const member: Actor = {
    ...everyone,
    roles: new Set(),
    memberships: new Map([1, 2, 5, 9].map((id) => [id, 'viewer'])),
  };
  for (const [who, actor, company] of [
    ['all companies', everyone, undefined],
    ['one company', everyone, 1],
    ['the companies of a member', member, undefined],
  ] as const)
    it(`read the Tasks that ended in the range or have not ended, of ${who}, and no history`, async () => {
      const request = company === undefined ? {} : { company_id: company };
      const plans = await plansOf(Task, insertFailedTask, (tables) =>
        summarize(tables, actor, request, { timezone: 'UTC', external: new Set(), calendarRules: noCalendarRules }),
      );
      expect(plans.size).to.be.above(3);
      for (const [sql, plan] of plans) {
        expect(plan, sql).to.match(
          /horarium_task USING (COVERING )?INDEX horarium_task_(\w*(ended_at|state_id|start_deadline)|\w+ \(runtemplate_id=\? AND window_start>\?\))/,
        );
        expect(plan, sql).not.to.match(/SCAN horarium_task/);
      }
      const countsOfEnds = [...plans].filter(([sql]) => sql.includes('count(*)') && sql.includes('ended_at'));
      const [fulfilled, others] = countsOfEnds.map(([, plan]) => plan);
      expect(countsOfEnds).to.have.length(2);
      // Nearly all Tasks are fulfilled in time: each costs one entry of the index, and nothing is sorted.
      const search = 'SEARCH horarium_task USING COVERING INDEX \\S+ \\(state=\\? AND ended_at>\\? AND ended_at<\\?\\)';
      expect(fulfilled).to.match(new RegExp(`^${search}$`));
      expect(others).to.match(new RegExp(`^${search}`));
    });
});

describe('The statements of a timeline on SQLite', () => {
  const slots = { from: 0, to: 2, length: 1, count: 2 };
  const scope = [{ any: [[['company_id', '>=', 1] as const, ['company_id', '<=', 1] as const] as const] }];

  it('count the Tasks of templates from the index by template alone', async () => {
    const plans = await plansOf(Task, insertFailedTask, (tables) => countTasks(tables, [1, 2], slots));
    expect(plans.size).to.equal(1);
    for (const plan of plans.values()) {
      expect(plan).to.match(/^SEARCH horarium_task USING COVERING INDEX \S*runtemplate_id_window_start/);
      expect(plan).not.to.match(/SCAN horarium_task|TEMP B-TREE/);
    }
  });

  it('find Tasks that were not fulfilled by the index by state', async () => {
    const find = async (tables: Tables) => {
      await countByState(tables, { templateIds: [1, 2], taskCount: 100, scope }, slots);
      await templatesWithTasksIn(tables, ['open', 'failed'], slots, scope);
    };
    const plans = await plansOf(Task, insertFailedTask, find);
    expect(plans.size).to.be.above(3);
    for (const [sql, plan] of plans)
      expect(plan, sql).to.match(/SEARCH horarium_task USING (COVERING )?INDEX horarium_task_state_(id|ended_at)/);
  });
});

const times = { revision: 1, created_at: 1, updated_at: 1 };

function insertDueJob(handle: Database.Database, company_id: number): void {
  const ids = { runtemplate_id: 1, app_id: 1, company_id };
  insert(handle, Job.table, newRow(Job, { ...times, ...ids, scheduled_at: 1, queue_at: 1, state: 'scheduled' }));
}

function insertFailedTask(handle: Database.Database): void {
  insert(handle, Company.table, newRow(Company, { ...times, code: 'acme', name: 'Acme' }));
  const window = { window_start: 1, window_end: 2, deadline: 2 };
  const ended = { state: 'failed', ended_at: Date.now() } as const;
  insert(handle, Task.table, newRow(Task, { ...times, runtemplate_id: 1, company_id: 1, ...window, ...ended }));
}

function insert(handle: Database.Database, table: string, row: object): void {
  const values = Object.values(row).map((value) => {
    if (typeof value === 'boolean') return Number(value);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
  const columns = Object.keys(row).map((name) => `"${name}"`);
  handle.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`).run(values);
}
