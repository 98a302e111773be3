import { expect } from 'chai';
import { eventually } from '../../../support/mocha/eventually.ts';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('Events over HTTP', () => {
  const world = new JobWorld();
  const get = (path: string) => world.service.requestAsAdmin(path);
  let target: number;
  before(async () => {
    await world.open();
    const { app_id, company_id, id } = world.template;
    const fields = { name: 'next', app_id, company_id, interval: 'none', overlap: 'allow', active: false };
    target = (await world.post('/runtemplate/', fields)).json.id;
    await world.post('/eventrule/', { runtemplate_source_id: id, runtemplate_id: target });
  });
  after(() => world.close());

  const endedJob = async () => {
    const { id, started } = await world.startJob();
    started.end();
    await world.pollUntil(`/job/${id}.json`, ({ state }) => state === 'succeeded');
    return eventually('the event of the job', async () => {
      const { json } = await get(`/events.json?job_id=${id}`);
      return json[0]?.state !== 'pending' && json[0];
    });
  };

  it('are listed with those that were set aside, and retried once what was wrong is right', async () => {
    const event = await endedJob();
    expect([event.state, event.reason, event.kind, event.event]).to.deep.equal([
      'set_aside',
      `EventRule 1: RunTemplate ${target} is not active.`,
      'job',
      'succeeded',
    ]);
    expect((await get('/events.json?state=set_aside')).json.map(({ id }: { id: number }) => id)).to.deep.equal([
      event.id,
    ]);
    await world.post(`/runtemplate/${target}.json`, { active: true });
    const retried = await world.post(`/event/${event.id}/retry.json`, {});
    expect([retried.status, retried.json.state]).to.deep.equal([200, 'pending']);
    (await world.service.core.executor.next()).end();
    const done = await world.pollUntil(`/event/${event.id}.json`, ({ state }) => state === 'done');
    expect(done).to.have.nested.property('jobs[0].event_id', event.id);
    expect((await world.post(`/event/${event.id}/retry.json`, {})).status).to.equal(409);
  });

  it('lead from the job that caused them to the jobs that they caused, and back, also in html', async () => {
    await world.post(`/runtemplate/${target}.json`, { active: true });
    const event = await endedJob();
    (await world.service.core.executor.next()).end();
    const { json } = await get(`/event/${event.id}.json`);
    const [{ id: caused }] = json.jobs;
    const links = async (path: string) =>
      [...(await get(path)).text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(await links(`/event/${event.id}.html`)).to.include.members([
      `/api/v1/job/${event.job_id}.html`,
      `/api/v1/job/${caused}.html`,
    ]);
    expect(await links(`/job/${caused}.html`)).to.include(`/api/v1/event/${event.id}.html`);
    expect(await links(`/job/${event.job_id}.html`)).to.include(`/api/v1/event/${event.id}.html`);
  });

  it('show their payload to admins alone', async () => {
    const { id } = await endedJob();
    (await world.service.core.executor.next()).end();
    expect((await get(`/event/${id}/payload.json`)).json).to.deep.equal({});
    const member = await world.service.core.addUser('eva', 'a long enough one', null);
    await world.post(`/company/${world.template.company_id}/user/`, { user_id: member, role: 'operator' });
    const authorization = `Bearer ${(await world.service.core.createToken('eva')).secret}`;
    const asMember = (path: string) => world.service.requestAsAdmin(path, { headers: { authorization } });
    expect((await asMember(`/event/${id}.json`)).status).to.equal(200);
    expect((await asMember(`/event/${id}/payload.json`)).status).to.equal(403);
  });
});
