import { HorariumError, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { setClockAhead } from '../../../support/store/set-clock-ahead.ts';

describe('Monitoring over HTTP', () => {
  let service: HttpService;
  const post = async (path: string, body: unknown) =>
    (await service.requestAsAdmin(path, { method: 'POST', body })).json;

  beforeEach(async () => {
    service = await new HttpService().start();
  });
  afterEach(() => service.stop());

  /** Creates two companies with a template and a job each, and a member of the first. @returns the member's headers. */
  async function createTwoCompanies() {
    const app = await post('/app/', { name: 'A', executable: 'true' });
    const companyIds: number[] = [];
    for (const code of ['one', 'two']) {
      const company = await post('/company/', { code, name: code });
      const template = await post('/runtemplate/', {
        name: code,
        app_id: app.id,
        company_id: company.id,
        interval: 'none',
      });
      await post('/job/', { runtemplate_id: template.id });
      companyIds.push(company.id);
    }
    const user_id = await service.core.addUser('member', 'a long password', null);
    await post(`/company/${companyIds[0]}/user/`, { user_id });
    return { authorization: `Bearer ${(await service.core.createToken('member')).secret}` };
  }

  it('exposes metrics of requests, jobs, the scheduler, the queue and the event loop in the format of Prometheus', async () => {
    await createTwoCompanies();
    await service.request('/nowhere');
    await service.requestAsAdmin('/company/999.json');
    const { status, headers, text } = await service.requestAsAdmin('//metrics');
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8']);
    for (const line of [
      'horarium_http_requests_total{method="POST",route="/job/",status="201"} 2',
      'horarium_http_requests_total{method="GET",route="none",status="401"} 1',
      'horarium_http_requests_total{method="GET",route="/company/{companyId}.{suffix}",status="404"} 1',
      'horarium_http_request_duration_seconds_count{method="POST",route="/job/",status="201"} 2',
      'horarium_http_requests_under_way 1',
      'horarium_jobs{state="scheduled"} 2',
      'horarium_jobs{state="succeeded"} 0',
      'horarium_scheduler_lag_seconds 0',
      'horarium_queue_due_jobs 2',
      'horarium_workers 0',
    ])
      expect(text.split('\n')).to.include(line);
    expect(text).to.match(/^nodejs_eventloop_lag_seconds /m);
    expect(text).not.to.match(/company\/999|undefined/);
  });

  for (const [metricsByTemplate, template] of [
    [false, ''],
    [true, ',runtemplate="1"'],
  ] as const)
    it(`counts the Tasks of the last day by state and company${metricsByTemplate ? ', and by template where asked to' : ''}`, async () => {
      const counting = await new HttpService({ metricsByTemplate }).start();
      const { core } = counting;
      const create = async (path: string, body: object) => {
        const { json, status } = await counting.requestAsAdmin(path, { method: 'POST', body });
        expect(status).to.equal(201);
        return json.id as number;
      };
      const app_id = await create('/app/', { name: 'A', executable: 'true' });
      const company_id = await create('/company/', { code: 'acme', name: 'Acme' });
      const fields = { app_id, company_id, interval: 'hourly', executor: 'external', catch_up: 'none' };
      const template_id = await create('/runtemplate/', { ...fields, name: 'Owed' });
      core.clock.advance(3 * 3_600_000);
      await core.start();
      const taskLines = async () =>
        (await counting.requestAsAdmin('//metrics')).text
          .split('\n')
          .filter((line) => line.startsWith('horarium_tasks{'));
      const missed = `horarium_tasks{state="missed",company="acme"${template}}`;
      await eventually('the backlog is written', async () => {
        core.clock.advance(31_000);
        await counting.requestAsAdmin(`/runtemplate/${template_id}.json`, { method: 'POST', body: { note: 'wakes' } });
        return (await taskLines()).some((line) => line.startsWith(missed) && !line.endsWith(' 0'));
      });
      expect(await taskLines()).to.have.lengthOf(7);
      core.clock.advance(25 * 3_600_000);
      await core.stop(0);
      expect(await taskLines()).to.include(`${missed} 0`);
      await counting.stop();
    });

  it('shows the numbers of the summary', async () => {
    await createTwoCompanies();
    const { text } = await service.requestAsAdmin('//metrics');
    for (const line of [
      'horarium_summary_tasks{outcome="on_time"} 0',
      'horarium_summary_tasks{outcome="will_be_late"} 0',
      'horarium_summary_ok 0',
      'horarium_summary_templates_without_worker 2',
    ])
      expect(text.split('\n')).to.include(line);
  });

  it('tells over HTTP whether everything is on time, to members only of their companies', async () => {
    const member = await createTwoCompanies();
    const { status, json } = await service.requestAsAdmin('/summary.json');
    expect(status).to.equal(200);
    expect(json).to.include({ ok: false, owed: 0, will_not_run: 2, waiting: 2, next: null });
    expect(json.sentence).to.equal('today nothing was owed; 2 will not run; 0 running');
    const own = await service.request('/summary.json', { headers: member });
    expect(own.json).to.include({ will_not_run: 1, waiting: 1 });
    const foreign = await service.request('/summary.json?company_id=2', { headers: member });
    expect(foreign.status).to.equal(404);
    const refused = await service.requestAsAdmin('/summary.json?from=yesterday');
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('from must be a time');
    expect((await service.requestAsAdmin('/summary.json?from=2000-01-01')).status).to.equal(400);
    expect((await service.request('/summary.json')).status).to.equal(401);
  });

  it('names the route and the executor that block the event loop', async () => {
    const { core } = service;
    await createTwoCompanies();
    await core.forChannels.eventLoop.tick();
    core.database.beforeRead = async (table) => {
      if (table.name !== 'Topic') return;
      core.database.beforeRead = null;
      core.clock.advance(900);
    };
    await post('/topic/', { name: 'slow' });
    await core.forChannels.eventLoop.tick();
    const start = core.executor.start.bind(core.executor);
    core.executor.start = (...given) => {
      core.clock.advance(300);
      return start(...given);
    };
    await core.start();
    await core.executor.next();
    const route = 'POST /topic/';
    const slow = core.blocks.find(({ by, duration }) => by === route && duration >= 800);
    expect(slow?.underWay).to.deep.equal([route]);
    expect(core.blocks.map(({ by }) => by)).to.include('executor native');
    const { text } = await service.requestAsAdmin('//metrics');
    for (const by of [route, 'executor native'])
      expect(text).to.match(new RegExp(`^horarium_event_loop_blocked_seconds_count\\{by="${by}"\\} [1-9]`, 'm'));
    await core.stop(0);
  });

  it('caches the number of jobs in the metrics for up to 30 seconds', async () => {
    await createTwoCompanies();
    const scheduledJobs = async () =>
      /horarium_jobs{state="scheduled"} (\d+)/.exec((await service.requestAsAdmin('//metrics')).text)?.[1];
    expect(await scheduledJobs()).to.equal('2');
    await post('/job/', { runtemplate_id: 1, scheduled_at: '2099-01-01T00:00:00Z' });
    expect(await scheduledJobs()).to.equal('2');
    service.core.clock.advance(31_000);
    expect(await scheduledJobs()).to.equal('3');
  });

  it('rejects requests for metrics without a token', async () => {
    expect((await service.request('//metrics')).status).to.equal(401);
  });

  it('exposes metrics to admins only', async () => {
    const memberHeaders = await createTwoCompanies();
    const { status, json } = await service.request('//metrics', { headers: memberHeaders });
    expect([status, json.code]).to.deep.equal([403, 'denied']);
  });

  describe('with open metrics', () => {
    let openService: HttpService;
    beforeEach(async () => {
      openService = await new HttpService({ metricsAccess: 'open' }).start();
    });
    afterEach(() => openService.stop());

    it('exposes the metrics without a token', async () => {
      const { status, text } = await openService.request('//metrics');
      expect(status).to.equal(200);
      expect(text).to.include('horarium_jobs{state="running"} 0');
    });

    it('exposes the metrics of the process while the database is unavailable', async () => {
      openService.core.database.broken = true;
      const { status, text } = await openService.request('//metrics');
      openService.core.database.broken = false;
      expect(status).to.equal(200);
      expect(text).to.include('horarium_http_requests_total').and.not.include('horarium_jobs');
    });
  });

  it('counts only the records that the caller may read in /status', async () => {
    const memberHeaders = await createTwoCompanies();
    const ofMember = (await service.request('/status', { headers: memberHeaders })).json;
    expect(ofMember.counts).to.include({ companies: 1, runtemplates: 1, jobs: 1, users: 1, apps: 0 });
    expect(ofMember.queue).to.deep.equal({ due: 1, running: 0 });
    expect(ofMember).not.to.have.any.keys(['audit_head', 'workers']);
    const ofAdmin = (await service.requestAsAdmin('/status')).json;
    expect(ofAdmin.counts).to.include({ companies: 2, runtemplates: 2, jobs: 2, users: 2, apps: 1 });
    expect(ofAdmin.queue).to.deep.equal({ due: 2, running: 0 });
    expect(ofAdmin.audit_head).to.have.keys(['seq', 'hash']);
    expect(ofAdmin.workers).to.deep.equal([]);
  });

  /** Writes that agents with these names are alive. */
  const seeAgents = (...names: readonly string[]) =>
    service.core.store.transaction(trustedActor('test'), async (tables) => {
      const alive_until = (await tables.now()) + 60_000;
      const usual = { pools: { gpu: null }, labels: { arch: 'arm64' }, executors: ['native'], slots: 4, version: '1' };
      const agents = names.map((agent) => ({ ...usual, agent, alive_until }));
      await service.core.agents.seenIn(tables, agents);
    });

  it('tells nothing of agents where none has ever been', async () => {
    expect((await service.requestAsAdmin('/status')).json).not.to.have.any.keys(['agents', 'unserved_pools']);
    expect((await service.requestAsAdmin('//metrics')).text).not.to.include('horarium_agent');
  });

  it('lists the agents that are alive in /status and in the metrics, until they are gone', async () => {
    const memberHeaders = await createTwoCompanies();
    await seeAgents('gpu1', 'gpu2');
    const { json } = await service.requestAsAdmin('/status');
    expect(json.unserved_pools).to.deep.equal([]);
    const { seen_at, alive_until, ...first } = json.agents[0];
    expect(Date.parse(alive_until) - Date.parse(seen_at)).to.equal(60_000);
    const shown = { name: 'gpu1', pools: ['gpu'], labels: { arch: 'arm64' }, executors: ['native'], version: '1' };
    expect(first).to.deep.equal({ ...shown, slots: 4, used_slots: 0 });
    const ofMember = (await service.request('/status', { headers: memberHeaders })).json;
    expect(ofMember).not.to.have.any.keys(['agents', 'unserved_pools']);
    const lines = async () =>
      (await service.requestAsAdmin('//metrics')).text.split('\n').filter((line) => line.startsWith('horarium_agent'));
    expect(await lines()).to.have.members([
      'horarium_agents 2',
      'horarium_agent_slots{agent="gpu1"} 4',
      'horarium_agent_slots{agent="gpu2"} 4',
      'horarium_agent_running_jobs{agent="gpu1"} 0',
      'horarium_agent_running_jobs{agent="gpu2"} 0',
    ]);
    service.core.clock.advance(61_000);
    expect(await lines()).to.deep.equal(['horarium_agents 0']);
  });

  it('counts all agents, and has figures of the first thousand alone', async () => {
    await seeAgents(...Array.from({ length: 1001 }, (_, index) => `a${String(index).padStart(4, '0')}`));
    const { text } = await service.requestAsAdmin('//metrics');
    expect(text.split('\n')).to.include('horarium_agents 1001').and.include('horarium_agent_slots{agent="a0999"} 4');
    expect(text).not.to.include('a1000');
    expect((await service.requestAsAdmin('/status')).json.agents).to.have.length(1000);
  });

  const readiness = async () => (await service.request('//readyz')).status;

  it('responds to /readyz with 503 while the database is unavailable', async () => {
    expect(await readiness()).to.equal(200);
    service.core.database.broken = true;
    expect(await readiness()).to.equal(503);
    service.core.database.broken = false;
    expect(await readiness()).to.equal(200);
  });

  it('responds to /readyz with 503 while ticks fail, as when nothing can be written to a full disk', async () => {
    const { core } = service;
    await core.start();
    const full = new HorariumError('unavailable', 'There is no space left on /secret/disk.');
    core.database.fault = (readOnly) => (readOnly ? null : full);
    const becomes = (status: number) =>
      eventually(`/readyz responds with ${status}`, async () => {
        core.clock.advance(1000);
        return (await readiness()) === status;
      });
    await becomes(503);
    const { json, text } = await service.request('//readyz');
    expect(json.reason).to.match(/^Background work fails: [a-z, ]+\. The log tells why\.$/);
    expect(text).not.to.include('secret');
    core.database.fault = () => null;
    await becomes(200);
    await core.stop(0);
  });

  it('shows a clock that jumped ahead in /readyz, /status and the metrics until an admin confirms it', async () => {
    const advice = 'If the time is right, confirm it with: horarium clock:confirm';
    await setClockAhead(service.core.database, 86_400_000);
    const { status, json } = await service.request('//readyz');
    expect(status).to.equal(503);
    expect(json.status).to.equal('unavailable');
    expect(json.reason)
      .to.match(/^The clock of the store is 86400 s ahead since \S+Z\. /)
      .and.include(advice);
    const { scheduler } = (await service.requestAsAdmin('/status')).json;
    expect(scheduler).to.include({ clock: 'held', clock_held_seconds: 86_400 });
    expect((await service.requestAsAdmin('//metrics')).text).to.include('horarium_clock_held_seconds 86400');

    const memberHeaders = await createTwoCompanies();
    const confirm = (headers = {}) => service.request('/clock/confirm.json', { method: 'POST', headers });
    expect((await confirm(memberHeaders)).status).to.equal(403);
    const confirmed = await confirm({ authorization: service.admin });
    expect([confirmed.status, confirmed.json.confirmed_seconds]).to.deep.equal([200, 86_400]);
    expect((await confirm({ authorization: service.admin })).status).to.equal(409);
    expect(await readiness()).to.equal(200);
    const after = (await service.requestAsAdmin('/status')).json.scheduler;
    expect(after).to.include({ clock: 'steady', clock_held_seconds: 0 });
    expect((await service.requestAsAdmin('//metrics')).text).to.include('horarium_clock_held_seconds 0');
  });

  it('responds to /readyz with 503 while the service stops, and to /healthz and other requests as before', async () => {
    const stopping = service.core.stop(0);
    expect(await readiness()).to.equal(503);
    expect((await service.request('//healthz')).status).to.equal(200);
    expect((await service.requestAsAdmin('/topics.json')).status).to.equal(200);
    await stopping;
    expect(await readiness()).to.equal(503);
  });
});
