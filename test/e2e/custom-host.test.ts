import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { ContainerModule, serviceIds } from 'horarium/host';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { applicationFolder, installTimeout } from '../support/packages/installed-packages.ts';
import { startExample } from '../support/packages/start-example.ts';
import type { SpawnedProgram } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { secret } from '../support/secrets/secret-checks.ts';

const exampleKey = Buffer.alloc(32, 'stands for a key').toString('base64');

describe('The custom host of the examples, in an application that installed the packages', () => {
  let cli: TestCli;
  let service: SpawnedProgram;
  let url: string;
  let folder: string;

  before(async function () {
    this.timeout(installTimeout);
    cli = new TestCli(undefined, { HORARIUM_VAULT_KEY: '', HORARIUM_PORT: '0' });
    folder = await applicationFolder();
    service = await startExample('custom-host/main.ts', { folder, environment: cli.environment });
    [, url = ''] = await service.waitForOutput(/^listening on (\S+)$/m);
  });
  after(() => {
    service?.process.kill('SIGKILL');
    cli?.[Symbol.dispose]();
  });

  const request = async (path: string, body?: object) => {
    const authorization = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await checkedFetch(`${url}${path}`, { headers, ...post });
    expect(response.ok, `${path}: ${response.status}`).to.equal(true);
    return JSON.parse(await response.text());
  };
  /** Runs an app as a job, and returns what it wrote. */
  const outputOf = async (code: string, app: object): Promise<string> => {
    const { id: app_id } = await request('/app/', { name: code, code, ...app });
    const { id: company_id } = await request('/company/', { name: code, code });
    const owned = { app_id, company_id };
    const { id: runtemplate_id } = await request('/runtemplate/', { name: code, code, interval: 'none', ...owned });
    const { id } = await request('/job/', { runtemplate_id });
    const job = await eventually('the job succeeds', async () => {
      const found = await request(`/job/${id}.json`);
      return found.state === 'succeeded' && found;
    });
    return job.stdout;
  };

  it('gives a job a secret that its own vault encrypted', async () => {
    const environment = { KEY: { type: 'secret', default: secret } };
    const digest = ['-c', 'printf %s "$KEY" | sha256sum'];
    const output = await outputOf('digest', { executable: '/bin/sh', arguments: digest, environment });
    expect(output).to.include(createHash('sha256').update(secret).digest('hex'));
  });

  it('has the port in the address that its jobs report to', async () => {
    const address = ['-c', 'echo "${HORARIUM_PING_URL%%\\?*}"'];
    expect(await outputOf('ping', { executable: '/bin/sh', arguments: address })).to.equal(`${url}/ping.json\n`);
  });

  it('creates no key file', () => {
    expect(existsSync(join(cli.folder, 'h.sqlite'))).to.equal(true);
    expect(existsSync(join(folder, 'main.ts'))).to.equal(true);
    expect(existsSync(join(folder, 'var'))).to.equal(false);
  });

  it('ends without an error at SIGTERM', async () => {
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(service.loggedErrors).to.deep.equal([]);
    expect(service.messages).to.equal('');
  });

  it('has a store that the command line opens with the same module, and not with another key', async () => {
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.vault).toResolvedValue(async () => new NodeVault(exampleKey));
    });
    using stock = new TestCli(cli.environment['HORARIUM_DATABASE_URL']);
    using custom = new TestCli(cli.environment['HORARIUM_DATABASE_URL'], {}, { modules: [module] });
    expect((await stock.command('status')).err).to.include('The vault key is not the one');
    expect((await custom.command('vault:rotate --format json')).json.reencrypted).to.equal(0);
  });
});

describe('The command line of the examples with its own vault, in an application that installed the packages', () => {
  it('serves and rotates on that vault', async function () {
    this.timeout(installTimeout);
    const folder = await applicationFolder();
    using cli = new TestCli(undefined, { HORARIUM_VAULT_KEY: '' });
    const start = (...line: string[]) =>
      startExample('custom-host/command.ts', { line, folder, environment: cli.environment });
    const service = await start('serve', '--port', '0');
    try {
      const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
      expect((await checkedFetch(`${url}/ping.json`)).status).to.equal(200);
      const rotation = await start('vault:rotate', '--format', 'json');
      expect([await rotation.ended, rotation.loggedErrors]).to.deep.equal([0, []]);
      expect(JSON.parse(rotation.out).key).to.equal(new NodeVault(exampleKey).fingerprint);
    } finally {
      service.process.kill('SIGTERM');
    }
    expect(await service.ended).to.equal(0);
    expect(existsSync(join(folder, 'var'))).to.equal(false);
  });
});
