import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { oldNode } from '../../support/program/old-node.ts';
import { SpawnedProgram, spawnService } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const settled = new Set(['succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'skipped']);

describe('horarium serve', () => {
  let cli: TestCli;
  const running: SpawnedProgram[] = [];
  beforeEach(() => {
    cli = new TestCli();
  });
  afterEach(async () => {
    for (const { process } of running.splice(0)) process.kill('SIGKILL');
    cli[Symbol.dispose]();
  });

  const start = async (...more: string[]) => {
    const started = await spawnService(cli, more);
    running.push(started.service);
    return started;
  };
  /** Schedules a job of a shell script at the command line while the service runs. */
  const addJob = async (script: string): Promise<number> => {
    await cli.command('company:save --code acme --name Acme');
    const app = await cli.run([
      ...['app:save', '--name', 'script', '--executable', '/bin/sh', '--format', 'json'],
      ...['--arguments', '-c', '--arguments', script],
    ]);
    const template = await cli.command(
      `runtemplate:save --name x --company-id 1 --app-id ${app.json.id} --interval none --format json`,
    );
    return (await cli.command(`runtemplate:run ${template.json.id} --format json`)).json.id;
  };
  const job = async (id: number) => (await cli.command(`job:get ${id} --format json`)).json;
  const until = (id: number, states: ReadonlySet<string>) =>
    eventually(`the job is ${[...states].join(' or ')}`, async () => {
      const found = await job(id);
      return states.has(found.state) && found;
    });

  it('responds over HTTP, runs jobs that another process schedules, and exits with 0 at SIGTERM', async () => {
    const { service, url } = await start();
    expect(url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    expect(service.out).to.include('The first user is admin, with the password from HORARIUM_ADMIN_PASSWORD\n');
    const ping = await checkedFetch(`${url}/ping.json`);
    expect(await ping.json()).to.include({ pong: true });
    const authorization = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;
    const status = await checkedFetch(`${url}/status`, { headers: { authorization } });
    expect(await status.json()).to.include({ database: 'sqlite' });
    const id = await addJob('echo out; echo err >&2; exit 3');
    const output = await cli.command(`job:output ${id} --follow`);
    expect(output).to.include({ code: 0, out: 'out\n', err: 'err\n' });
    expect(await until(id, settled)).to.include({ state: 'failed', exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    const messages = service.log.map((line) => `${line['msg']}`.replace(/:.*/, ''));
    const first = [
      'creating the tables of the database',
      'the database was migrated',
      ...(process.getuid?.() === 0 ? ['native jobs run as root, because the service does'] : []),
      'the service has started',
    ];
    // What contains jobs is found out beside the start.
    const [containment, others] = [messages.filter(isOfContainment), messages.filter((text) => !isOfContainment(text))];
    expect(containment).to.have.length(1);
    expect(others.slice(0, first.length)).to.deep.equal(first);
    expect(messages.at(-1)).to.equal('the service has stopped');
    expect(service.err).to.not.include('correct horse');
  });

  it('responds in a format of a plugin that is loaded by its path', async () => {
    const core = import.meta.resolve('@horarium/core/plugin');
    const source = `import { definePlugin } from '${core}';
      const tarGz = { suffix: 'tar.gz', mime: 'application/gzip', write: (value) => Buffer.from(Object.keys(value).join()) };
      export default definePlugin({ name: 'format-archive', api: 1, formats: [tarGz] });`;
    writeFileSync(join(cli.folder, 'archive.mjs'), source);
    const { url } = await start('--plugins', 'built-in,./archive.mjs');
    // The OpenAPI document of the service as it is delivered does not describe this format.
    const [response] = (await once(get(`${url}/ping.tar.gz`), 'response')) as [IncomingMessage];
    expect([response.statusCode, response.headers['content-type']]).to.deep.equal([200, 'application/gzip']);
    expect(await text(response)).to.equal('pong,time');
    expect((await checkedFetch(`${url}/ping.json`)).status).to.equal(200);
  });

  it('lets people sign in on its pages where a plugin has some', async () => {
    const pages = join(import.meta.dirname, '../../support/program/pages-plugin.js');
    const { url } = await start('--plugins', `built-in,${pages}`);
    const place = url.replace(/\/api\/v1$/, '/console/api');
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const body = JSON.stringify({ login: 'admin', password: 'correct horse battery' });
    const signedIn = await checkedFetch(`${place}/session`, { method: 'POST', headers, body });
    const [cookie = ''] = signedIn.headers.getSetCookie();
    const [session] = (await cli.run(['token:list', '--format', 'json'])).json;
    expect(session).to.include({ kind: 'session', name: 'Browser' });
    const status = async () =>
      (await checkedFetch(`${place}/status`, { headers: { cookie: cookie.split(';')[0] as string } })).status;
    expect(await status()).to.equal(200);
    await cli.run(['token:revoke', String(session.id)]);
    expect(await status()).to.equal(401);
  });

  it('lets running jobs finish before it exits', async () => {
    const { service } = await start();
    const [begun, go] = [join(cli.folder, 'begun'), join(cli.folder, 'go')];
    const id = await addJob(`echo begun; touch '${begun}'; until [ -e '${go}' ]; do sleep 0.05; done; echo done`);
    await eventually('the job runs', () => existsSync(begun));
    service.process.kill('SIGTERM');
    await eventually('the service drains', () => service.err.includes('stopping:'));
    writeFileSync(go, '');
    expect(await service.ended).to.equal(0);
    expect(await job(id)).to.include({ state: 'succeeded', stdout: 'begun\ndone\n' });
  });

  it('stops jobs that exceed the shutdown grace, and records them as lost', async () => {
    const { service } = await start('--shutdown-grace', '500ms');
    const id = await addJob('sleep 60');
    await until(id, new Set(['running']));
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(await job(id)).to.include({ state: 'lost', reason: 'the worker was shut down' });
  });

  it('exits at once at a second signal', async () => {
    const { service } = await start();
    const id = await addJob('sleep 60');
    await until(id, new Set(['running']));
    service.process.kill('SIGINT');
    await eventually('the service drains', () => service.err.includes('stopping:'));
    // A signal that comes sooner counts as the same Ctrl-C.
    await pause(400);
    service.process.kill('SIGINT');
    expect(await service.ended).to.equal(130);
  });

  it('explains in one sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = new SpawnedProgram(['serve', '--port', String(port)], cli);
    running.push(refused);
    expect(await refused.ended).to.equal(1);
    other.close();
    expect(refused.messages).to.equal(
      `Horarium cannot listen on port ${port} of 127.0.0.1: another program listens there already; ` +
        '--port or HORARIUM_PORT chooses another port.\n',
    );
    expect(refused.out).to.match(/^The first user is admin, .*\n$/);
  });

  it('fills an empty store with the demonstration, and no other store', async () => {
    const { service } = await start('--demo');
    await service.waitForOutput(/^Next: horarium task:list$/m);
    const templates = (await cli.command('runtemplate:list --format json')).json;
    expect(templates.length).to.be.greaterThan(4);
    expect(templates.every((each: { next_scheduled_at: string | null }) => each.next_scheduled_at)).to.equal(true);
    service.process.kill('SIGTERM');
    await service.ended;
    const second = await start('--demo');
    await second.service.waitForOutput(/^There are companies already, so nothing was added/m);
    expect((await cli.command('runtemplate:list --format json')).json).to.have.length(templates.length);
  });

  it('runs under the Node that a checkout installs when an older one starts it, and forwards signals', async function () {
    const node = oldNode() ?? this.skip();
    const wrong = new SpawnedProgram(['no:such'], cli, { node });
    expect(await wrong.ended).to.equal(2);
    const service = new SpawnedProgram(['serve', '--port', '0'], cli, { node });
    running.push(service);
    await service.waitForOutput(/^listening on /m);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(service.log.at(-1)).to.include({ msg: 'the service has stopped' });
  });
});

function isOfContainment(message: string): boolean {
  return message.startsWith('jobs are contained by ');
}
