import { Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('Tasks over HTTP', () => {
  const world = new JobWorld();
  const { service, post, startJob, pollUntil } = world;
  let ids: readonly number[];
  let first: number;
  let second: number;

  before(async () => {
    await world.open();
    const { id: runtemplate_id, company_id } = world.template;
    const day = (number: number) => Date.UTC(2026, 0, number);
    const tasks = [1, 2, 3].map((number) => {
      const window = { window_start: day(number), window_end: day(number + 1), deadline: day(number + 1) };
      return newRow(Task, { runtemplate_id, company_id, ...window });
    });
    ids = await service.core.store.transaction(trustedActor('test'), (tables) => tables.of(Task).insert(tasks));
    [first, second] = ids as [number, number];
  });
  after(() => world.close());

  it('embed their jobs, and change their ETag when a job ends', async () => {
    const { started } = await startJob({ task_id: second });
    const running = await service.requestAsAdmin(`/task/${second}.json`);
    expect(running.json).to.include({ state: 'running', window_start: '2026-01-02T00:00:00.000Z' });
    const headers = { 'if-none-match': running.headers['etag'] as string };
    expect((await service.requestAsAdmin(`/task/${second}.json`, { headers })).status).to.equal(304);
    started.end({ exitCode: 3 });
    await pollUntil(`/task/${second}.json`, (task) => task.state !== 'running');
    const ended = await service.requestAsAdmin(`/task/${second}.json`, { headers });
    expect(ended.status).to.equal(200);
    expect(ended.json.jobs.map((job: { state: string }) => job.state)).to.deep.equal(['failed']);
    expect((await service.requestAsAdmin(`/task/${first}.json`)).json.jobs).to.deep.equal([]);
  });

  it('are listed by template, state and the period of their windows', async () => {
    const listIds = async (query: string) =>
      (await service.requestAsAdmin(`/tasks.json?${query}`)).json.map((task: { id: number }) => task.id);
    expect(await listIds(`runtemplate_id=${world.template.id}&order=window_start`)).to.deep.equal(ids);
    // The first test has ended the second Task.
    expect(await listIds('state=open'))
      .to.include(first)
      .and.not.include(second);
    expect(await listIds('from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z')).to.deep.equal([second]);
    expect(await listIds('from=2026-01-01&to=2026-01-02')).to.deep.equal([second, first]);
  });

  it('are not listed by an unknown state', async () => {
    expect((await service.requestAsAdmin('/tasks.json?state=sleeping')).status).to.equal(400);
  });

  it('cannot be created, changed or deleted', async () => {
    expect((await service.requestAsAdmin(`/task/${first}.json`, { method: 'POST', body: {} })).status).to.equal(405);
    expect((await service.requestAsAdmin(`/task/${first}.json`, { method: 'DELETE' })).status).to.equal(405);
    expect((await post('/task/', {})).status).to.equal(404);
  });
});
