import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import type { RecordedStart } from '../../support/program/record-start.ts';
import { spawnService } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** The packages that only some services need; each takes memory and time at every start. */
const importedWhenUsed = [
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@node-rs/argon2',
  'cli-table3',
  'csv-stringify',
  'fast-xml-parser',
  // The short list of types has those of the pages.
  'mime/dist/types/other.js',
  'mysql2',
  'nodemailer',
  'pg',
  'pino-pretty',
  're2js',
  'undici',
  'yaml',
];

describe('A service on SQLite', () => {
  describe('that is idle', () => {
    let cli: TestCli;
    let recorded: RecordedStart;
    before(async () => {
      cli = new TestCli();
      // The tables are up to date, as at every start but the first.
      expect(await cli.command('migrate')).to.include({ code: 0 });
      recorded = await recordStart(cli, async (url) => {
        expect(await (await checkedFetch(`${url}/ping.json`)).json()).to.include({ pong: true });
      });
    });
    after(() => cli[Symbol.dispose]());

    it('has loaded no library of a format, an action or a database that it does not use', () => {
      const packages = new Set(recorded.modules.map(packageOf));
      expect(packages).to.include.all.keys('kysely', 'restify');
      const isLoaded = (name: string) =>
        recorded.modules.some((url) => url.endsWith(`/node_modules/${name}`) || url.includes(`/node_modules/${name}/`));
      expect(importedWhenUsed.filter(isLoaded)).to.deep.equal([]);
    });

    it('has loaded none of the commands but its own and that of agents', () => {
      const commands = recorded.modules.flatMap((url) => /\/host\/commands\/(.+)$/.exec(url)?.[1] ?? []);
      expect(commands).to.deep.equal(['agent-command.js', 'service-commands.js']);
    });

    it("has not loaded Node's fetch, as an import of node:http would", () => {
      expect(recorded.ofNode.filter((name) => name.endsWith('/undici'))).to.deep.equal([]);
    });

    it('has not loaded the time zones of ICU, because it runs on UTC', () => {
      expect(recorded.usedIntl).to.equal(false);
    });

    it('has a small space for young objects', () => {
      expect(recorded.youngGeneration).to.be.within(1_000_000, 9_000_000);
    });
  });

  it('loads the library of a format for the first response in it', async () => {
    using cli = new TestCli();
    const { modules } = await recordStart(cli, async (url) => {
      expect(await (await checkedFetch(`${url}/ping.yaml`)).text()).to.include('pong: true');
    });
    expect(modules.map(packageOf)).to.include('yaml').and.to.not.include('fast-xml-parser');
  });
});

/** The program as it was compiled: the bundle of it hides which modules it loads. */
const compiled = join(import.meta.dirname, '../../../host/main.js');

/** Runs a service until the work is done. @returns what it has loaded by its end. */
async function recordStart(cli: TestCli, work: (url: string) => Promise<void>): Promise<RecordedStart> {
  const file = join(cli.folder, 'start.json');
  const recorder = import.meta.resolve('../../support/program/record-start.js');
  const onUtc = { TZ: 'UTC', HORARIUM_TIMEZONE: 'UTC' };
  const environment = { ...cli.environment, ...onUtc, NODE_OPTIONS: `--import ${recorder}`, RECORDED_START: file };
  const { service, url } = await spawnService({ folder: cli.folder, environment }, [], compiled);
  try {
    await work(url);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  } finally {
    service.process.kill('SIGKILL');
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The package of a module; empty for a module of the service itself. */
function packageOf(url: string): string {
  return /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? '';
}
