import { Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('Tasks over HTTP', () => {
  const world = new JobWorld();
  const { service, post, start, until } = world;
  before(() => world.open());
  after(() => world.close());

  it('embed their attempts, oldest first, and are read-only', async () => {
    const { id: runtemplate_id, company_id } = world.template;
    const day = (n: number) => Date.UTC(2026, 0, n);
    const window = (n: number) => ({ window_start: day(n), window_end: day(n + 1), deadline: day(n + 1) });
    const ids = await service.core.store.transaction(trustedActor('test'), (tables) =>
      tables.of(Task).insert([1, 2, 3].map((n) => newRow(Task, { runtemplate_id, company_id, ...window(n) }))),
    );
    const [first, second] = ids as [number, number];
    const { held } = await start({ task_id: second });
    const running = await service.requestAsAdmin(`/task/${second}.json`);
    expect(running.json).to.include({ state: 'running', window_start: '2026-01-02T00:00:00.000Z' });
    const tag = { 'if-none-match': running.headers['etag'] as string };
    expect((await service.requestAsAdmin(`/task/${second}.json`, { headers: tag })).status).to.equal(304);
    held.end({ exitCode: 3 });
    await until(`/task/${second}.json`, (task) => task.state !== 'running');
    const ended = await service.requestAsAdmin(`/task/${second}.json`, { headers: tag });
    expect(ended.status).to.equal(200);
    expect(ended.json.jobs.map((job: { state: string }) => job.state)).to.deep.equal(['failed']);
    expect((await service.requestAsAdmin(`/task/${first}.json`)).json.jobs).to.deep.equal([]);

    const found = async (query: string) =>
      (await service.requestAsAdmin(`/tasks.json?${query}`)).json.map((task: { id: number }) => task.id);
    expect(await found(`runtemplate_id=${runtemplate_id}&order=window_start`)).to.deep.equal(ids);
    expect(await found('state=open'))
      .to.include(first)
      .and.not.include(second);
    expect(await found('from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z')).to.deep.equal([second]);
    expect(await found('from=2026-01-01&to=2026-01-02')).to.deep.equal([second, first]);
    expect((await service.requestAsAdmin('/tasks.json?state=sleeping')).status).to.equal(400);
    for (const method of ['POST', 'DELETE'])
      expect(
        (await service.requestAsAdmin(`/task/${first}.json`, { method, ...(method === 'POST' && { body: {} }) }))
          .status,
      ).to.equal(405);
    expect((await post('/task/', {})).status).to.equal(404);
  });
});
