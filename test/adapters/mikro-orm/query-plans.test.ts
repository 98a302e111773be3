import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Job, systemClock } from '@horarium/core';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import sinon from 'sinon';
import { allResources, tablesOf } from '#core/resources';
import { newRow } from '#core/store/table';
import { nextQueued, readDueJobs } from '#core/worker/due-jobs';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('Statements that look for due jobs on SQLite', () => {
  it('read the queue alone, in its order, however many jobs have ended', async () => {
    const folder = temporaryFolder('plans');
    const file = join(folder, 'a.sqlite');
    const store = await openSqliteStore({ file, tables: tablesOf(allResources), clock: systemClock });
    const prepared = sinon.spy(Database.prototype, 'prepare');
    try {
      await store.schema.create();
      const handle = new Database(file);
      handle.pragma('foreign_keys = off');
      // With more due jobs than wanted the worker steps through the companies.
      for (const company_id of [1, 1, 2]) insertDueJob(handle, company_id);
      const executors = ['native', 'container'];
      prepared.resetHistory();
      await store.transaction(async (tables) => {
        await nextQueued(tables, executors);
        const slots = { capacity: 10, used: new Map([[1, 10]]) };
        await readDueJobs(tables, { executors, slots, max: 1, last: 0 });
      });
      const statements = prepared.args.map(([sql]) => sql).filter((sql) => /^select .* from "horarium_job"/.test(sql));
      expect(statements).to.have.length.above(1);
      for (const sql of statements) {
        const values = Array.from(sql.matchAll(/\?/g), () => null);
        const steps = handle.prepare(`explain query plan ${sql}`).all(values) as { detail: string }[];
        const plan = steps.map(({ detail }) => detail).join('; ');
        expect(plan, sql).to.match(/horarium_job USING (COVERING )?INDEX horarium_job_\w*(queue_at|caught_up)/);
        expect(plan, sql).not.to.match(/SCAN horarium_job|TEMP B-TREE/);
      }
      handle.close();
    } finally {
      prepared.restore();
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

function insertDueJob(handle: Database.Database, company_id: number): void {
  const times = { created_at: 1, updated_at: 1, scheduled_at: 1, queue_at: 1 };
  const row = newRow(Job, { ...times, revision: 1, runtemplate_id: 1, app_id: 1, company_id, state: 'scheduled' });
  const values = Object.values(row).map((value) => {
    if (typeof value === 'boolean') return Number(value);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
  const columns = Object.keys(row).map((name) => `"${name}"`);
  handle.prepare(`insert into horarium_job (${columns}) values (${columns.map(() => '?')})`).run(values);
}
