import { expect } from 'chai';
import { JobWorld } from '../../../support/worlds/job-world.ts';

const day = 86_400_000;
const yesterday = new Date(Date.now() - 2 * day).toISOString().slice(0, 10);

describe('What people do with Tasks over HTTP', () => {
  const world = new JobWorld();
  const { service, post } = world;
  let template: number;
  let tasks: { id: number; state: string; backfilled: boolean }[];
  let outsider: Record<string, string>;
  let viewer: Record<string, string>;

  before(async () => {
    await world.open();
    const { app_id, company_id } = world.template;
    const fields = { name: 'Hourly', app_id, company_id, interval: 'hourly', timezone: 'UTC', max_running: 1 };
    template = (await post('/runtemplate/', fields)).json.id;
    const addUser = async (login: string, role?: string) => {
      const user_id = await service.core.addUser(login, 'a long password', null);
      if (role) await post(`/company/${company_id}/user/`, { user_id, role });
      return { authorization: `Bearer ${(await service.core.createToken(login)).secret}` };
    };
    outsider = await addUser('outsider');
    viewer = await addUser('viewer', 'viewer');
  });
  after(() => world.close());

  const backfill = (body: object, query = '', headers?: Record<string, string>) => {
    const path = `/runtemplate/${template}/backfill.json${query}`;
    return headers ? service.request(path, { method: 'POST', body, headers }) : post(path, body);
  };
  const waive = (id: number, body: object, headers?: Record<string, string>) => {
    const path = `/task/${id}/waive.json`;
    return headers ? service.request(path, { method: 'POST', body, headers }) : post(path, body);
  };
  const range = { from: `${yesterday}T20:00:00Z`, to: `${yesterday}T22:00:00Z` };

  it('backfill windows that have passed, or tell what would follow', async () => {
    const tried = await backfill(range, '?dry_run=true');
    expect(tried.status, tried.text).to.equal(200);
    expect(tried.json).to.have.length(3);
    expect((await service.requestAsAdmin('/tasks.json')).json).to.deep.equal([]);
    const done = await backfill(range);
    expect(done.status).to.equal(200);
    tasks = done.json;
    expect(tasks.map(({ state, backfilled }) => [state, backfilled])).to.deep.equal(Array(3).fill(['open', true]));
    expect(done.headers['warning']).to.equal(undefined);
    const again = await backfill(range);
    expect([again.status, again.json]).to.deep.equal([200, []]);
    expect(again.headers['warning']).to.equal(
      '299 - "3 windows of the range are left out, because a Task is there already or is owed: repeat those that should run again."',
    );
  });

  it('backfill no wrong range, and nothing for those who may not run jobs', async () => {
    for (const [body, status, message] of [
      [{}, 422, /from is required/],
      [{ from: 7 }, 422, /from must be a text/],
      [{ from: yesterday, untill: yesterday }, 422, /untill is not a field of a backfill/],
      [{ from: 'soon' }, 400, /from must be a time/],
      [{ from: yesterday, to: '2001-01-01' }, 400, /from must not be after to/],
      [{ from: '2001-01-01' }, 400, /more than 1000 windows in this range/],
    ] as const) {
      const refused = await backfill(body);
      expect(refused.status, JSON.stringify(body)).to.equal(status);
      expect(refused.text).to.match(message);
    }
    expect((await backfill(range, '', viewer)).status).to.equal(403);
    expect((await backfill(range, '', outsider)).status).to.equal(404);
    expect((await backfill(range, '', {})).status).to.equal(401);
  });

  it('waive one that has not ended, with a reason', async () => {
    const id = tasks[2]?.id as number;
    expect((await waive(id, { reason: 'closed' }, viewer)).status).to.equal(403);
    expect((await waive(id, { reason: 'closed' }, outsider)).status).to.equal(404);
    for (const body of [{}, { reason: ' ' }, { reason: 7 }, { reason: 'closed', state: 'cancelled' }])
      expect((await waive(id, body)).status, JSON.stringify(body)).to.equal(422);
    const { status, json } = await waive(id, { reason: 'closed' });
    expect(status).to.equal(200);
    expect(json).to.include({ id, state: 'cancelled', reason: 'waived by root: closed' });
    const again = await waive(id, { reason: 'closed' });
    expect(again.status).to.equal(409);
    expect(again.json.detail).to.equal(`Task ${id} has already ended: it was cancelled.`);
  });

  it('repeat one that has ended, which is fulfilled late once that has succeeded', async () => {
    const id = tasks[2]?.id as number;
    const made = await post('/job/', { task_id: id });
    expect(made.status, made.text).to.equal(201);
    expect(made.json).to.include({ task_id: id, trigger: 'adhoc', attempt: 1 });
    const twice = await post('/job/', { task_id: id });
    expect(twice.status).to.equal(409);
    expect(twice.json.detail).to.match(new RegExp(`^Task ${id} is being repeated: its job ${made.json.id} is `));
    // One after the other: those of the backfill, then the repetition.
    for (let job = 0; job < 3; job += 1) (await service.core.executor.next()).end({ exitCode: 0 });
    await world.pollUntil(`/task/${id}.json`, ({ state }) => state === 'fulfilled_late');
    const { json } = await service.requestAsAdmin(`/task/${id}.json`);
    expect(json).to.include({
      fulfilled_by_job_id: made.json.id,
      reason: 'a repetition succeeded; before, it was cancelled: waived by root: closed',
    });
    const { json: summary } = await service.requestAsAdmin('/tasks/summary.json');
    expect(summary).to.deep.equal([]);
  });
});
