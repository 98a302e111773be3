import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';

const plugin = fileURLToPath(new URL('../examples/plugins/http-probe.js', import.meta.url));

describe('The example plugin http-probe', () => {
  let server: Server;
  let origin: string;

  before(async () => {
    server = createServer(({ url }, response) => {
      if (url === '/hangs') return;
      response.statusCode = Number(url?.slice(1));
      response.end('answered');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('runs jobs that request a URL, and ends them by the status, the expected status or the timeout', async () => {
    await using world = await ServiceWorld.create('sqlite', { HORARIUM_PLUGINS: `built-in,${plugin}` });
    const { url } = await world.startService();
    const { token } = await world.run('token:generate', '--user', 'admin');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const response = await checkedFetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, json: (await response.json()) as { id: number; detail?: string } };
    };
    const template = async (path: string, fields: object = {}) => {
      const { json: app } = await post('/app/', { name: path, code: path.slice(1), executable: `${origin}${path}` });
      const own = { name: path, app_id: app.id, company_id: 1, interval: 'none', executor: 'http-probe' };
      return post('/runtemplate/', { ...own, ...fields });
    };
    const endOf = async (path: string, fields?: object) => {
      const { json } = await template(path, fields);
      const { json: job } = await post('/job/', { runtemplate_id: json.id });
      return eventually(`the job of ${path} ended`, async () => {
        const { state, exit_code, reason, stdout, finished_at } = await world.run('job:get', String(job.id));
        return finished_at !== null && { state, exit_code, reason, stdout };
      });
    };
    const stdout = 'answered';
    const reason = (status: number) => `the server answered ${status}`;
    expect(await endOf('/200')).to.deep.include({ state: 'succeeded', exit_code: 0, stdout });
    expect(await endOf('/503')).to.deep.include({ state: 'failed', exit_code: 1, stdout, reason: reason(503) });
    expect(await endOf('/410', { executor_options: { status: 410 } })).to.deep.include({ state: 'succeeded', stdout });
    expect(await endOf('/hangs', { timeout: 1 })).to.include({ state: 'timed_out', stdout: '' });
    const { status, json } = await template('/wrong', { executor_options: { status: 'ok' } });
    expect([status, json.detail]).to.deep.equal([
      422,
      'RunTemplate is invalid: executor_options.status must be a number',
    ]);
  }).timeout(60_000);
});
