import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { addressRoutes } from '../../../plugins/pings/address-routes.ts';
import { pingRoutes } from '../../../plugins/pings/ping-routes.ts';
import { unfinished } from '../../support/http/unfinished-request.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { ExternalHttpWorld } from '../../support/worlds/external-http-world.ts';

const unknown = '00000000-0000-4000-8000-000000000000';
const curl = promisify(execFile);

describe('Pings', () => {
  const world = new ExternalHttpWorld({
    extraRoutes: [...pingRoutes, ...addressRoutes],
    extraHeaders: ['ping-body-limit'],
  });
  before(() => world.start());
  after(() => world.stop());

  /** Gives a template an address. @returns the secret in it. */
  async function renew(template: number): Promise<string> {
    const { status, json } = await world.post(`/runtemplate/${template}/ping.json`, {});
    expect(status).to.equal(200);
    return /^http:\/\/127\.0\.0\.1:\d+\/ping\/([0-9a-f-]{36})$/.exec(json.ping_url)?.[1] as string;
  }

  const ping = (path: string, request = {}) => world.service.request(`//ping/${path}`, request);

  /** An hourly template with an address, whose window has begun. */
  async function owed(fields: object = {}) {
    const { task, job } = await world.openTask(fields);
    const template = (await world.get(`/task/${task}.json`)).runtemplate_id as number;
    return { task, job, template, uuid: await renew(template) };
  }
  const stateOf = async (task: number) => (await world.get(`/task/${task}.json`)).state;

  describe('by curl, as the documentation of Healthchecks has them', () => {
    let owing: Awaited<ReturnType<typeof owed>>;
    const url = (rest = '') => `${world.service.url}/ping/${owing.uuid}${rest}`;
    const run = async (...args: string[]) => (await curl('curl', args)).stdout;
    const usual = ['-fsS', '-m', '10', '--retry', '5'];
    beforeEach(async () => {
      owing = await owed();
    });

    it('curl -m 10 URL fulfils the Task of the window', async () => {
      expect(await run('-m', '10', url())).to.equal('OK');
      expect(await stateOf(owing.task)).to.equal('fulfilled');
      const { worker, exit_code, state } = await world.get(`/job/${owing.job}.json`);
      expect({ worker, exit_code, state }).to.deep.equal({ worker: 'external:ping', exit_code: 0, state: 'succeeded' });
    });

    it('--data-raw "$m" URL/$? reports an exit code, and stores what the program wrote', async () => {
      expect(await run(...usual, '--data-raw', 'häßlich=&%zz', url('/3'))).to.equal('OK');
      const { state, exit_code, stdout } = await world.get(`/job/${owing.job}.json`);
      expect({ state, exit_code, stdout }).to.deep.equal({ state: 'failed', exit_code: 3, stdout: 'häßlich=&%zz\n' });
      expect(await stateOf(owing.task)).to.equal('failed');
    });

    it('--data-binary @file sends a log, of which the first 100 kB are stored', async () => {
      const file = join(temporaryFolder('ping'), 'log');
      writeFileSync(file, Buffer.alloc(3_000_000, 'x\n'));
      expect(await run(...usual, '--data-binary', `@${file}`, url())).to.equal('OK');
      const { pieces } = await world.get(`/job/${owing.job}/output.json`);
      const stored = pieces.map(({ text }: { text: string }) => text).join('');
      expect(stored.length).to.equal(100_000);
    });

    it('URL/fail fails the attempt', async () => {
      await run(...usual, '-o', '/dev/null', url('/fail'));
      expect(await stateOf(owing.task)).to.equal('failed');
    });

    it('-I and -X POST count as well', async () => {
      expect(await run(...usual, '-I', url('/start'))).to.match(/^HTTP\/1.1 200/);
      expect((await world.get(`/job/${owing.job}.json`)).state).to.equal('running');
      await run(...usual, '-X', 'POST', url());
      expect(await stateOf(owing.task)).to.equal('fulfilled');
    });

    it('URL/start?rid=…, URL/log and URL?rid=… report one run', async () => {
      const rid = '0f4e3f6c-5a43-4b39-9a39-3f0f6a0e5a51';
      await run(...usual, url(`/start?rid=${rid}`));
      world.moveSeconds(5);
      await run(...usual, '--data-raw', 'halfway', url(`/log?rid=${rid}`));
      await run(...usual, url(`?rid=${rid}`));
      const { state, stdout, started_at, finished_at } = await world.get(`/job/${owing.job}.json`);
      expect({ state, stdout }).to.deep.equal({ state: 'succeeded', stdout: 'halfway\n' });
      expect(Date.parse(finished_at) - Date.parse(started_at)).to.be.least(5000);
    });
  });

  it('tells runs at once apart by their run ids', async () => {
    const template = await world.createTemplate();
    const [first, second] = [await world.createJob(template), await world.createJob(template)];
    const uuid = await renew(template);
    const [a, b] = ['aaaaaaaa', 'bbbbbbbb'].map((start) => `${start}-0000-4000-8000-000000000000`);
    await ping(`${uuid}/start?rid=${a}`);
    await ping(`${uuid}/start?rid=${b}`);
    await ping(`${uuid}/7?rid=${a}`);
    await ping(`${uuid}?rid=${b}`);
    const codes = [
      (await world.get(`/job/${first}.json`)).exit_code,
      (await world.get(`/job/${second}.json`)).exit_code,
    ];
    expect(codes.sort()).to.deep.equal([0, 7]);
  });

  it('count for a job that waits for its retry, when the work was done meanwhile', async () => {
    const { task, uuid } = await owed({ max_attempts: 3, retry_backoff: 'fixed', retry_delay: 600 });
    await ping(`${uuid}/fail`);
    expect(await stateOf(task)).to.equal('open');
    await ping(uuid);
    expect(await stateOf(task)).to.equal('fulfilled');
  });

  it('are understood when nothing is due, and change nothing', async () => {
    const { uuid, task } = await owed();
    await ping(uuid);
    for (const path of [uuid, `${uuid}/fail`, `${uuid}/log`, `${uuid}/start`]) {
      const { status, text } = await ping(path);
      expect([path, status, text]).to.deep.equal([path, 200, 'OK (nothing is due)']);
    }
    expect(await stateOf(task)).to.equal('fulfilled');
  });

  it('at an address that was revoked, renewed or never given are 404, in the same words', async () => {
    const { uuid, template } = await owed();
    const renewed = await renew(template);
    const refused = await ping(uuid);
    expect(refused.status).to.equal(404);
    expect(
      (await world.service.requestAsAdmin(`/runtemplate/${template}/ping.json`, { method: 'DELETE' })).status,
    ).to.equal(204);
    for (const path of [renewed, unknown, `${unknown}/fail`]) {
      const { status, json } = await ping(path);
      expect([status, json.detail]).to.deep.equal([404, refused.json.detail]);
    }
    expect((await world.get(`/runtemplate/${template}.json`)).pings_since).to.equal(null);
  });

  for (const path of ['no-uuid', `${unknown}/256`, `${unknown}/stop`])
    it(`to ${path} are 404`, async () => {
      expect((await ping(path)).status).to.equal(404);
    });

  it('with a run id that is none, or another parameter, are 400', async () => {
    expect((await ping(`${unknown}?rid=7`)).status).to.equal(400);
    expect((await ping(`${unknown}?create=1`)).status).to.equal(400);
  });

  it('over plain HTTP are refused, except on localhost', async () => {
    const { uuid } = await owed();
    const { status } = await ping(uuid, { headers: { host: 'jobs.example.com' } });
    expect(status).to.equal(403);
  });

  it('need no address for jobs that workers of the service start', async () => {
    const template = await world.createTemplate({ executor: 'native' });
    const { status, json } = await world.post(`/runtemplate/${template}/ping.json`, {});
    expect([status, json.detail]).to.deep.equal([
      409,
      `RunTemplate ${template} has the executor native: only jobs done elsewhere are pinged.`,
    ]);
  });

  it('leave the secret of an address out of records, logs, metrics and the audit log', async () => {
    const { uuid, template } = await owed();
    await ping(`${uuid}/start`);
    await ping(uuid, { method: 'DELETE' });
    await ping(`x/ping/${uuid}`);
    await world.service.request(`/ping/${uuid}`);
    await world.service.request(`//%70ing/${uuid}`);
    const shown = [
      await world.get(`/runtemplate/${template}.json`),
      await world.get('/auditlog.json?limit=1000'),
      (await world.service.requestAsAdmin('//metrics')).text,
      world.service.logLines,
    ];
    expect(JSON.stringify(shown)).to.not.contain(uuid);
    expect(world.service.logLines.join('')).to.contain('"path":"/ping/…"');
    const renewals = await world.get(`/auditlog.json?entity_type=RunTemplate&entity_id=${template}`);
    expect(renewals[0].changes).to.have.keys('pings_since');
  });

  it('to unknown addresses are answered before their body is there', async () => {
    expect(await unfinished(`${world.service.url}/ping/${unknown}`)).to.deep.equal({ status: 404 });
  });

  it('are throttled like sign-ins after many to unknown addresses, and those to known ones are not', async () => {
    const { uuid } = await owed();
    const statuses: number[] = [];
    for (let guess = 0; guess < 60; guess++) {
      const { status } = await ping(`${unknown.slice(0, -2)}${10 + guess}`);
      statuses.push(status);
    }
    expect(statuses.slice(0, 40).every((status) => status === 404)).to.equal(true);
    expect(statuses.at(-1)).to.equal(429);
    expect((await ping(uuid)).status).to.equal(200);
  });
});

describe('The address of pings', () => {
  it('is given and taken by managers of the company only', async () => {
    const world = await new ExternalHttpWorld({ extraRoutes: [...pingRoutes, ...addressRoutes] }).start();
    const template = await world.createTemplate();
    await world.service.core.addUser('olga', 'a password of an operator', null);
    await world.post(`/company/${world.company}/user/`, { login: 'olga', role: 'operator' });
    const secret = (await world.service.core.createToken('olga')).secret;
    const headers = { authorization: `Bearer ${secret}` };
    for (const method of ['POST', 'DELETE']) {
      const path = `/runtemplate/${template}/ping.json`;
      const { status } = await world.service.request(path, { method, headers, ...(method === 'POST' && { body: {} }) });
      expect([method, status]).to.deep.equal([method, 403]);
    }
    await world.stop();
  });
});
