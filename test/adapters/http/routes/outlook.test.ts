import { outlookStates, Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { JobWorld } from '../../../support/worlds/job-world.ts';

const minute = 60_000;

describe('The outlook over HTTP', () => {
  // With sessions the responses of hidden routes are compared with their description too.
  const world = new JobWorld({ sessions: true });
  const { service } = world;

  before(() => world.open());
  after(() => world.close());

  it('tells how Tasks of each state ended, and what is to come, as its schema describes it', async () => {
    const { id: runtemplate_id, company_id } = world.template;
    const now = Date.now();
    const ended = outlookStates.filter((state) => state !== 'running' && state !== 'to_come');
    const tasks = ended.map((state, index) => {
      const start = now - (index + 1) * 30 * minute;
      const window = { window_start: start, window_end: start + minute, deadline: start + minute };
      return newRow(Task, { runtemplate_id, company_id, ...window, state, ended_at: start + minute });
    });
    await service.core.store.transaction(trustedActor('test'), (tables) => tables.of(Task).insert(tasks));
    await world.post('/job/', { runtemplate_id, scheduled_at: new Date(now + 60 * minute).toISOString() });
    const { status, json } = await service.requestAsAdmin(`/outlook.json?company_id=${company_id}`);
    expect(status).to.equal(200);
    expect(json.counts).to.have.keys([...ended, 'to_come']);
    expect(json.next).to.have.length(1);
    expect(json.next[0]).to.include({ runtemplate_id, name: 'T', company: 'Acme' });
  });

  it('finds no company that does not exist', async () => {
    expect((await service.requestAsAdmin('/outlook.json?company_id=999')).status).to.equal(404);
    expect((await service.requestAsAdmin('/outlook.json?company_id=x')).status).to.equal(400);
  });
});
