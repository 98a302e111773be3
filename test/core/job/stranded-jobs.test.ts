import { Job, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';
import { RunnerWorld } from '../../support/worlds/runner-world.ts';

describe('StrandedJobs', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  it('unblocks a job whose template runs no other job, although hundreds of templates before it have a running job', async () => {
    const { app_id, company_id } = await world.template({ interval: 'none' });
    const templates = await world.audited.transaction(world.actor, async (tables) => {
      const fields = { name: 'many', interval: 'none', app_id, company_id } as const;
      const rows = Array.from({ length: 501 }, () => newRow(RunTemplate, fields));
      const ids = await tables.of(RunTemplate).insert(rows);
      await tables.of(Schedule).insert(ids.map((runtemplate_id) => newRow(Schedule, { runtemplate_id, company_id })));
      const now = await tables.now();
      const blocked = (runtemplate_id: number) =>
        newRow(Job, { runtemplate_id, app_id, company_id, scheduled_at: now, queue_at: null });
      const running = (runtemplate_id: number) => ({ ...blocked(runtemplate_id), state: 'running' as const });
      await tables.of(Job).insert(ids.slice(0, -1).map(running));
      await tables.of(Job).insert(ids.map(blocked));
      return ids;
    });
    const queued = async () =>
      (await world.allJobs()).filter((job) => job.queue_at !== null).map((job) => job.runtemplate_id);
    await world.strandedJobs.tick();
    await world.strandedJobs.tick();
    expect(await queued()).to.deep.equal(templates.slice(-1));
  });
});
