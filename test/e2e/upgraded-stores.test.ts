import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preparePlugin, systemClock, Task, tablesOf } from '@horarium/core';
import { expect } from 'chai';
import { DailyUsage } from '#core/quota/daily-usage';
import { isTaskEnded } from '#core/task/task';
import { ormDatabases } from '../../adapters/mikro-orm/databases.ts';
import { postgresqlMigrations } from '../../adapters/mikro-orm/dialects/postgresql/migrations/index.ts';
import { sqliteMigrations } from '../../adapters/mikro-orm/dialects/sqlite/migrations/index.ts';
import { type OpenOptions, openStore } from '../../adapters/mikro-orm/open-store.ts';
import type { SqlStore } from '../../adapters/mikro-orm/sql-store.ts';
import { standardModel, withPlugins } from '../../host/model.ts';
import crontabs from '../../plugins/import-crontab/plugin.ts';
import pings from '../../plugins/pings/plugin.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { runDoctor } from '../support/program/doctor.ts';
import { spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { databaseKinds } from '../support/store/test-databases.ts';
import { writtenMigration } from '../support/store/written-migration.ts';
import { loadFixture, readFixture } from '../support/upgrade/store-fixture.ts';
import { UpgradedHost } from '../support/upgrade/upgraded-host.ts';

const commit = 'ae58b3c';
const second = 1000;
/** Who runs jobs, which has to be said where the tests run as root. */
const runAs = process.getuid?.() === 0 ? 'root' : '';
/** When the lease of the killed service has ended, which a migration waits for. */
const afterLease = 15 * second;

// biome-ignore lint/suspicious/noExplicitAny: answers have any shape.
type Json = any;

/** The records of the service, with those that its plugins bring. */
const { resources, furtherMigrations } = withPlugins(
  standardModel,
  [crontabs, pings].map((plugin) => preparePlugin(plugin, {}, systemClock)),
);
const tables = tablesOf(resources);
const migrations = {
  sqlite: [...sqliteMigrations, ...furtherMigrations.sqlite],
  postgresql: [...postgresqlMigrations, ...furtherMigrations.postgresql],
};

const deliveryTimes = new Set([
  'occurred_at',
  'failing_since',
  'window_start',
  'window_end',
  'deadline',
  'since',
  'until',
]);

/** Writes the times of what deliveries tell as RFC 3339, as every other time is: they were milliseconds. */
function withWrittenTimes<T>(answer: T): T {
  const written = (key: string, value: unknown) =>
    deliveryTimes.has(key) && typeof value === 'number' ? new Date(value).toISOString() : value;
  return JSON.parse(JSON.stringify(answer), written);
}

for (const { kind, title } of ormDatabases) {
  describe(`A store of ${commit} on ${title}`, () => {
    const fixture = readFixture(commit, kind);
    const { templates, apps, secrets } = fixture.definitions;
    const recorded = (list: string) =>
      (fixture.answers[`/${list}.json?limit=all&order=id`] as Json).body as readonly Json[];
    const later = migrations[kind].slice(1).map(({ name }) => name);

    it('is migrated once to the schema of this version', async () => {
      const database = await loadFixture(commit, kind);
      const store = await openedStore(database.url);
      const { schema } = store;
      expect(await schema.pending()).to.deep.equal(later);
      expect(await schema.migrate()).to.deep.equal(later);
      expect(await schema.migrate()).to.deep.equal([]);
      expect(await schema.hasDrifted()).to.equal(false);
      await store.close();
      await database.drop();
    });

    it('lists the migrations it needs, and a backup is advised before they are run', async () => {
      const database = await loadFixture(commit, kind);
      using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
      const advice = `The store is of an older version: ${later.length} migrations must be run, and they cannot be undone. Only a backup from before leads back (horarium help upgrade).\n`;
      expect((await cli.command('topic:list')).err).to.equal(
        `The database is of an older version and needs ${later.length} migrations. Back it up with that version first (horarium help upgrade); then "horarium serve" or "horarium migrate" makes it ready.\n`,
      );
      for (const _again of [1, 2]) {
        const { code, out, err } = await cli.command('migrate --dry-run');
        expect([code, out, err]).to.deep.equal([0, `${later.join('\n')}\n`, advice]);
      }
      const { code, err } = await cli.command('migrate');
      expect([code, err.slice(0, advice.length)]).to.deep.equal([0, advice]);
      expect(err).to.contain(`migration 1 of ${later.length}: ${later[0]}\n`);
      const none = await cli.command('migrate --dry-run');
      expect([none.out, none.err]).to.deep.equal(['The tables are up to date.\n', '']);
      await database.drop();
    });

    it('is not migrated where its vault key is missing or a wrong one, and doctor says so before', async () => {
      const database = await loadFixture(commit, kind);
      const wrong = Buffer.alloc(32, 9).toString('base64');
      for (const [key, said] of [
        ['', /^The key file \S+\/var\/vault\.key is missing/],
        [wrong, /^The vault key is not the one that the secrets in this store were encrypted with \(fingerprint /],
      ] as const) {
        using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: key, HORARIUM_RUN_AS: runAs });
        for (const line of ['migrate --dry-run', 'migrate', 'serve --port 0']) {
          const { code, out, err } = await cli.command(line);
          expect([code, out], line).to.deep.equal([1, '']);
          expect(
            err.split('\n').find((each) => said.test(each)),
            `${line}: ${err}`,
          ).to.be.a('string');
          expect(err, line).not.to.contain('migration 1 of');
        }
        expect((await runDoctor(cli)).of('vault key')[0]).to.deep.include({ state: 'fail' });
        expect((await runDoctor(cli)).of('vault key')[0]?.found).to.match(said);
      }
      using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
      const found = await runDoctor(cli);
      expect(found.of('vault key')[0]).to.include({ state: 'ok' });
      expect(found.of('clock')[0]).to.include({ state: 'skipped' });
      expect((await cli.command('migrate --dry-run')).out).to.equal(`${later.join('\n')}\n`);
      await database.drop();
    });

    it('knows when each Task ended: when it was fulfilled, or last changed', async () => {
      const database = await loadFixture(commit, kind);
      const store = await openedStore(database.url);
      await store.schema.migrate();
      const tasks = await store.transaction((tables) => tables.of(Task).find({}));
      const [ended, live] = [true, false].map((is) => tasks.filter(({ state }) => isTaskEnded(state) === is));
      expect(ended?.map(({ state }) => state)).to.include.members(['fulfilled', 'missed']);
      for (const { ended_at, fulfilled_at, updated_at } of ended ?? [])
        expect(ended_at).to.equal(fulfilled_at ?? updated_at);
      for (const { ended_at } of live ?? []) expect(ended_at).to.equal(null);
      await store.close();
      await database.drop();
    });

    it('has one count of what an owner has stored in a day, where each process had its own', async () => {
      const database = await loadFixture(commit, kind);
      const day = Date.UTC(2099, 0, 1);
      const time = kind === 'sqlite' ? day : `to_timestamp(${day / 1000})`;
      const counts = ["'company 901', 'a', 1, 2, 4", "'company 901', 'b', 8, 16, 32", "'user 902', 'a', 64, 128, 256"];
      await databaseKinds[kind].execute(
        database.url,
        `insert into horarium_daily_usage (day, owner, writer, output, artifacts, changes) values ${counts.map((count) => `(${time}, ${count})`)}`,
      );
      const store = await openedStore(database.url);
      await store.schema.migrate();
      const usage = await store.transaction((tables) => tables.of(DailyUsage).find({ where: [['day', '=', day]] }));
      expect(usage.map(({ id: _, ...row }) => row)).to.deep.equal([
        { owner: 'company 901', day, output: 9, artifacts: 18, changes: 36 },
        { owner: 'user 902', day, output: 64, artifacts: 128, changes: 256 },
      ]);
      await store.close();
      await database.drop();
    });

    it('has an audit log that verifies, up to its end and from the earlier head', async () => {
      const database = await loadFixture(commit, kind);
      using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
      await cli.command('migrate');
      const verified = await cli.command(`audit:verify --head ${fixture.auditHead}`);
      // It warns of entries that were not sealed yet when the service was killed.
      expect(verified.code, verified.err).to.equal(0);
      const [seq = '', hash = ''] = fixture.auditHead.split(':');
      const forged = await cli.command(
        `audit:verify --head ${seq}:${hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`,
      );
      expect(forged.code).to.equal(1);
      await database.drop();
    });

    it('keeps a log that verifies when its tables are rebuilt', async () => {
      const database = await loadFixture(commit, kind);
      const before = await openedStore(database.url);
      await before.schema.migrate();
      await before.close();
      const nullable = tables.map((table) => ({
        ...table,
        columns: table.columns.map((column) => (column.name === 'id' ? column : { ...column, nullable: true })),
      }));
      const changing = await openedStore(database.url, { tables: nullable });
      const migration = await writtenMigration(changing, 'nullable');
      expect(migration.statements.length).to.be.above(100);
      await changing.close();
      const further = { [kind]: [...furtherMigrations[kind], migration] };
      const changed = await openedStore(database.url, { tables: nullable, furtherMigrations: further });
      expect(await changed.schema.migrate()).to.deep.equal([migration.name]);
      expect(await changed.schema.hasDrifted()).to.equal(false);
      await changed.close();
      await databaseKinds[kind].execute(
        database.url,
        `delete from horarium_migrations where name = '${migration.name}'`,
      );
      using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
      const verified = await cli.command(`audit:verify --head ${fixture.auditHead}`);
      expect(verified.code, verified.err).to.equal(0);
      await database.drop();
    });

    it('answers for every record what it answered then', async () => {
      await using host = await UpgradedHost.open(commit, kind, fixture, afterLease);
      expect(host.migrations).to.deep.equal(later);
      const client = host.client(fixture.tokens.admin);
      const answers = Object.entries(fixture.answers);
      expect(answers.length).to.be.above(250);
      for (const [path, answer] of answers) {
        const { status, body } = await client.ask(path);
        expect({ status, body: keptOf(answer.body, body) }, path).to.deep.equal(withWrittenTimes(answer));
      }
    });

    it('signs its users in by their passwords and tokens, and refuses the revoked ones', async () => {
      await using host = await UpgradedHost.open(commit, kind, fixture, afterLease);
      for (const [login, password] of Object.entries(fixture.passwords)) {
        const { access_token } = await host.client('').do('/login.json', { login, password });
        expect((await host.client(access_token).ask('/index.json')).status, login).to.equal(200);
      }
      const statusOf = async (token: string) => (await host.client(token).ask('/runtemplates.json')).status;
      expect(await statusOf(fixture.tokens.login)).to.equal(200);
      expect(await statusOf(fixture.tokens.revoked)).to.equal(401);
    });

    it('repeats the response of an idempotency key, and knows a webhook that it has received', async () => {
      await using host = await UpgradedHost.open(commit, kind, fixture, afterLease);
      const client = host.client(fixture.tokens.admin);
      const topics = recorded('topics');
      const known = topics.find(({ name }) => name === 'after the rotation');
      const repeated = await client.do('/topic/', { name: 'after the rotation' }, { 'idempotency-key': 'fixture-2' });
      expect(repeated.id).to.equal(known.id);
      expect(await client.do('/topics.json')).to.have.length(topics.length);
      const { path, headers, body } = fixture.webhook;
      const { event_id } = await client.do(path, body, headers);
      expect(event_id).to.equal(recorded('events').find(({ key }) => key === headers['webhook-id']).id);
    });

    it('hands the plain text of all secrets to a job', async () => {
      await using host = await UpgradedHost.open(commit, kind, fixture, afterLease);
      const client = host.client(fixture.tokens.admin);
      const fileOf = (job: number | string) => join(host.folder, `environment-${job}`);
      await client.do(`/app/${apps.report}.json`, { arguments: ['-c', `env > ${fileOf('$HORARIUM_JOB_ID')}`] });
      await host.core.start();
      const { id } = await client.do('/job/', { runtemplate_id: templates.report });
      await eventually('the job has succeeded', async () => (await client.do(`/job/${id}.json`)).state === 'succeeded');
      const variables = Object.fromEntries(
        readFileSync(fileOf(id), 'utf8')
          .split('\n')
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      );
      expect(variables).to.include({
        NOTE: 'none',
        USER_NAME: 'jane',
        PASS_WORD: secrets.password,
        WITH_DEFAULT: secrets.default,
        TEMPLATE_SECRET: secrets.template,
        COMPANY_SECRET: secrets.company,
      });
    });

    it('goes on with the next window of a template, and takes the jobs of the dead worker for lost', async () => {
      await using host = await UpgradedHost.open(commit, kind, fixture, 35 * second);
      const client = host.client(fixture.tokens.admin);
      await host.core.start();
      const windowsOf = async (): Promise<number[]> =>
        (await client.do(`/tasks.json?runtemplate_id=${templates.due}&limit=all&order=id`)).map((task: Json) =>
          Date.parse(task.window_start),
        );
      const before = recorded('tasks').filter((task) => task.runtemplate_id === templates.due);
      const after = await eventually('three windows more have Tasks', async () => {
        const windows = (await windowsOf()).sort((one, other) => one - other);
        return windows.length >= before.length + 3 && windows;
      });
      expect(after.slice(0, before.length)).to.deep.equal(
        before.map((task) => Date.parse(task.window_start)).sort((one, other) => one - other),
      );
      const steps = after.slice(1).map((window, index) => window - (after[index] as number));
      expect(new Set(steps)).to.deep.equal(new Set([10 * second]));
      const running = recorded('jobs').filter(({ state }) => state === 'running');
      const stateOf = async ({ id }: Json) => (await client.do(`/job/${id}.json`)).state;
      const native = running.filter(({ executor }) => executor === 'native');
      expect(native).to.have.length(2);
      for (const job of native) await eventually(`job ${job.id} is lost`, async () => (await stateOf(job)) === 'lost');
      const external = running.filter(({ executor }) => executor === 'external');
      expect(await Promise.all(external.map(stateOf))).to.deep.equal(['running']);
      expect(await host.core.verifyAudit()).to.have.property('problem', null);
    });

    it('takes pings at the addresses that it has issued, for the runs that they have started', async () => {
      const [address, run] = ['6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63', '0f4e3f6c-5a43-4b39-9a39-3f0f6a0e5a51'];
      const job = recorded('jobs').find(
        (each) => each.runtemplate_id === templates.claimed && each.state === 'running',
      );
      await using host = await UpgradedHost.open(commit, kind, fixture, afterLease, [
        `update horarium_run_template set ping_hash = '${createHash('sha256').update(address).digest('hex')}'
          where id = ${templates.claimed}`,
        `update horarium_external_lease set run_id = '${run}' where job_id = ${job.id}`,
      ]);
      const ping = async (path: string) =>
        (await checkedFetch(`${host.url.replace('/api/v1', '')}/ping/${path}`)).text();
      expect(await ping(`${address}/log?rid=${run.replace('0', '1')}`)).to.equal('OK (nothing is due)');
      expect(await ping(`${address}?rid=${run}`)).to.equal('OK');
      expect(await host.client(fixture.tokens.admin).do(`/job/${job.id}.json`)).to.include({ state: 'succeeded' });
    });

    it('starts under the service itself, today', async () => {
      const database = await loadFixture(commit, kind);
      using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
      const { service, url } = await spawnService(cli, ['--shutdown-grace', '1s']);
      expect((await checkedFetch(`${url.replace('/api/v1', '')}/readyz`)).status).to.equal(200);
      service.process.kill('SIGTERM');
      expect(await service.ended, service.err).to.equal(0);
      expect(service.log.some(({ msg }) => msg === 'the database was migrated')).to.equal(true);
      // The note of a plugin may come first.
      const advice = service.log.find(({ migrations }) => migrations === later.length);
      expect(advice).to.include({ level: 40 });
      expect(advice?.['msg']).to.match(/^The store is of an older version: .* Only a backup from before leads back/);
      expect((await cli.command('audit:verify')).code).to.equal(0);
      await database.drop();
    });
  });

  async function openedStore(url: string, options: Partial<OpenOptions> = {}): Promise<SqlStore> {
    return (await openStore({ url, synchronous: 'normal', tables, furtherMigrations, ...options })) as SqlStore;
  }
}

describe('A service whose store a newer version migrates', () => {
  for (const kind of ['sqlite', 'postgresql'] as const)
    it(`drains and ends with a sentence, on ${kind}`, async () => {
      await using world = await ServiceWorld.create(kind);
      const { service } = await world.startService('--workers', '0');
      await world.execute(`insert into horarium_migrations (name) values ('Migration20991231235959_future')`);
      expect(await service.ended).to.equal(1);
      expect(service.messages).to.match(
        /^The database has applied the migration .*: a newer version has used it \(horarium help upgrade\)\.\n$/,
      );
      expect(service.log.at(-1)).to.include({ msg: 'the service has stopped' });
    });
});

/** Returns of an answer what an older one had too: records may have new members. */
function keptOf(old: Json, current: Json): Json {
  if (Array.isArray(old) && Array.isArray(current))
    return current.map((value, index) => (index < old.length ? keptOf(old[index], value) : value));
  if (old === null || current === null || typeof old !== 'object' || typeof current !== 'object') return current;
  return Object.fromEntries(
    Object.keys(old)
      .filter((name) => name in current)
      .map((name) => [name, keptOf(old[name], current[name])]),
  );
}
