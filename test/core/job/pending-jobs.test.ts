import { AuditLog, Job } from '@horarium/core';
import { expect } from 'chai';
import { readPendingJobs } from '#core/job/pending-jobs';
import { newRow } from '#core/store/table';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

describe('Pending jobs', () => {
  it('are ended without being read with their environment, which stays as it is', async () => {
    const world = new SchedulingWorld();
    const { id: runtemplate_id, app_id, company_id } = await world.template({ interval: 'none' });
    const at = world.time.now + 60_000;
    const values = { overrides: { KEY: 'a' }, environment: { KEY: 'b' }, arguments: ['c'] };
    const job = newRow(Job, { runtemplate_id, app_id, company_id, scheduled_at: at, queue_at: at, ...values });
    await world.audited.transaction(world.actor, (tables) => tables.of(Job).insert([job]));
    const [pending] = await world.audited.read((tables) => readPendingJobs(tables, []));
    expect(pending).to.include({ id: 1, state: 'scheduled' }).and.not.to.have.any.keys(Object.keys(values));
    await world.edit(runtemplate_id, { active: false });
    expect(await world.job(1)).to.deep.include({ state: 'cancelled', queue_at: null, ...values });
    const log = await world.audited.read((tables) => tables.of(AuditLog).find({ order: [['id', 'desc']], limit: 2 }));
    const entry = log.find(({ entity_type }) => entity_type === 'Job');
    expect(entry).to.include({ action: 'update', entity_id: 1, company_id });
    expect(Object.keys(entry?.changes ?? {})).to.have.members(['state', 'reason', 'finished_at']);
  });
});
