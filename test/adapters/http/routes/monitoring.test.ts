import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('Monitoring over HTTP', () => {
  let service: HttpService;
  const tokenOf = async (login: string) => `Bearer ${(await service.core.tokenOf(login)).secret}`;
  const post = async (path: string, body: unknown) =>
    (await service.requestAsAdmin(path, { method: 'POST', body })).json;

  beforeEach(async () => {
    service = await new HttpService().start();
  });
  afterEach(() => service.stop());

  async function twoCompanies() {
    const app = await post('/app/', { name: 'A', executable: 'true' });
    const ids: number[] = [];
    for (const code of ['one', 'two']) {
      const company = await post('/company/', { code, name: code });
      const template = await post('/runtemplate/', {
        name: code,
        app_id: app.id,
        company_id: company.id,
        interval: 'none',
      });
      await post('/job/', { runtemplate_id: template.id });
      ids.push(company.id);
    }
    const id = await service.core.addUser('member', 'a long enough one', null);
    await post(`/company/${ids[0]}/user/`, { user_id: id });
    return tokenOf('member');
  }

  it('exposes requests, jobs, the scheduler, the queue and the event loop to Prometheus', async () => {
    await twoCompanies();
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

  it('caches the count of jobs for a while', async () => {
    await twoCompanies();
    const jobs = async () =>
      /horarium_jobs{state="scheduled"} (\d+)/.exec((await service.requestAsAdmin('//metrics')).text)?.[1];
    expect(await jobs()).to.equal('2');
    await post('/job/', { runtemplate_id: 1, scheduled_at: '2099-01-01T00:00:00Z' });
    expect(await jobs()).to.equal('2');
    service.core.clock.advance(31_000);
    expect(await jobs()).to.equal('3');
  });

  it('needs a token for the metrics, and shows those of the whole service to admins only', async () => {
    const member = await twoCompanies();
    expect((await service.request('//metrics')).status).to.equal(401);
    const { status, text } = await service.request('//metrics', { headers: { authorization: member } });
    expect(status).to.equal(200);
    expect(text)
      .to.include('horarium_http_requests_total')
      .and.not.match(/horarium_(jobs|queue|scheduler|workers)/);
  });

  it('shows open metrics without a token, and those of the process also without a database', async () => {
    const open = await new HttpService({ metricsAccess: 'open' }).start();
    const { status, text } = await open.request('//metrics');
    expect(status).to.equal(200);
    expect(text).to.include('horarium_jobs{state="running"} 0');
    open.core.database.broken = true;
    const without = await open.request('//metrics');
    expect(without.status).to.equal(200);
    expect(without.text).to.include('horarium_http_requests_total').and.not.include('horarium_jobs');
    open.core.database.broken = false;
    await open.stop();
  });

  it('counts in /status only records that the caller may see', async () => {
    const member = await twoCompanies();
    const mine = (await service.request('/status', { headers: { authorization: member } })).json;
    expect(mine.counts).to.include({ companies: 1, runtemplates: 1, jobs: 1, users: 1, apps: 0 });
    expect(mine.queue).to.deep.equal({ due: 1, running: 0 });
    expect(mine).not.to.have.any.keys(['audit_head', 'workers']);
    const all = (await service.requestAsAdmin('/status')).json;
    expect(all.counts).to.include({ companies: 2, runtemplates: 2, jobs: 2, users: 2, apps: 1 });
    expect(all.queue).to.deep.equal({ due: 2, running: 0 });
    expect(all.audit_head).to.have.keys(['seq', 'hash']);
    expect(all.workers).to.deep.equal([]);
  });

  it('answers readyz with 503 when the database is gone or the service is stopping, and healthz with 200', async () => {
    const ready = async () => (await service.request('//readyz')).status;
    expect(await ready()).to.equal(200);
    service.core.database.broken = true;
    expect(await ready()).to.equal(503);
    service.core.database.broken = false;
    expect(await ready()).to.equal(200);
    const stopping = service.core.stop(0);
    expect(await ready()).to.equal(503);
    expect((await service.request('//healthz')).status).to.equal(200);
    expect((await service.requestAsAdmin('/topics.json')).status).to.equal(200);
    await stopping;
    expect(await ready()).to.equal(503);
  });
});
