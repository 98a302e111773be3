import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { spawnService } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** The packages that only some services need, each of which takes memory and time at every start. */
const importedWhenUsed = [
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@node-rs/argon2',
  'cli-table3',
  'csv-stringify',
  'fast-xml-parser',
  'mysql2',
  'nodemailer',
  'pg',
  'pino-pretty',
  're2js',
  'undici',
  'yaml',
];

describe('A service on SQLite', () => {
  it('loads while it is idle no library of a format, an action or a database that it does not use', async () => {
    using cli = new TestCli();
    expect(await cli.command('migrate')).to.include({ code: 0 });
    const loaded = await modulesOf(cli, async (url) => {
      expect(await (await checkedFetch(`${url}/ping.json`)).json()).to.include({ pong: true });
    });
    const packages = new Set(loaded.map(packageOf));
    expect(packages).to.include.all.keys('kysely', 'restify');
    expect([...packages].filter((name) => importedWhenUsed.includes(name))).to.deep.equal([]);
    const commands = loaded.flatMap((url) => /\/host\/commands\/(.+)$/.exec(url)?.[1] ?? []);
    expect(commands).to.deep.equal(['service-commands.js']);
    // Node's fetch, which an import of node:http would load.
    expect(loaded.filter((name) => name.endsWith('internal/deps/undici/undici'))).to.deep.equal([]);
  });

  it('loads the library of a format for the first response in it', async () => {
    using cli = new TestCli();
    const loaded = await modulesOf(cli, async (url) => {
      expect(await (await checkedFetch(`${url}/ping.yaml`)).text()).to.include('pong: true');
    });
    expect(loaded.map(packageOf)).to.include('yaml').and.to.not.include('fast-xml-parser');
  });
});

/** Runs a service until the work is done. @returns the URLs of the modules that it has loaded by its end, and the names of Node's own. */
async function modulesOf(cli: TestCli, work: (url: string) => Promise<void>): Promise<string[]> {
  const list = join(cli.folder, 'modules.json');
  const recorder = import.meta.resolve('../../support/program/record-modules.js');
  const environment = { ...cli.environment, NODE_OPTIONS: `--import ${recorder}`, LOADED_MODULES: list };
  const { service, url } = await spawnService({ folder: cli.folder, environment });
  try {
    await work(url);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  } finally {
    service.process.kill('SIGKILL');
  }
  return JSON.parse(readFileSync(list, 'utf8'));
}

/** The package of a module; empty for those of the service itself. */
function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? '';
}
