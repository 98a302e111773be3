import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AnyPlugin,
  addPluginResources,
  allResources,
  buildResources,
  MemoryStore,
  preparePlugin,
  systemClock,
  tablesOf,
  trustedActor,
} from '@horarium/core';
import {
  type AnyResource,
  byRole,
  defineFields,
  definePlugin,
  defineResource,
  type Field,
  ref,
  Topic,
  text,
} from '@horarium/core/plugin';
import { expect } from 'chai';
import { openHost, prepareStore, readSettings, serviceIds } from 'horarium/host';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import type { MikroOrmStore } from '../../../adapters/mikro-orm/mikro-orm-store.ts';
import { MigratedByNewerVersion } from '../../../adapters/mikro-orm/schema/schema.ts';
import { httpModule } from '../../../host/modules/http-module.ts';
import holidays from '../../examples/plugins/holidays.ts';
import { Holiday } from '../../examples/resources/holiday.ts';
import { fetchCheckedBy } from '../../support/http/checked-fetch.ts';
import { OpenApiCheck } from '../../support/http/openapi-check.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { databaseKinds, type TestDatabase } from '../../support/store/test-databases.ts';

const plugin = join(import.meta.dirname, '../../examples/plugins/holidays.js');
const migration = 'plugin:holidays:20261126-holiday';
const root = trustedActor('test');
const loaded = { HORARIUM_PLUGINS: `built-in,${plugin}` };

for (const { kind, title } of ormDatabases) {
  describe(`A resource of a plugin on ${title}`, () => {
    let database: TestDatabase;
    let cli: TestCli;
    let hosts: AsyncDisposableStack;

    beforeEach(async () => {
      database = await databaseKinds[kind].create();
      cli = new TestCli(database.url, { HORARIUM_LOG_LEVEL: 'silent' });
      hosts = new AsyncDisposableStack();
    });
    afterEach(async () => {
      await hosts.disposeAsync();
      cli[Symbol.dispose]();
      await database.drop();
    });

    /** Opens the host and prepares its store, with or without the plugin. */
    async function start(settings: Readonly<Record<string, string>> = loaded) {
      const environment = { ...cli.environment, ...settings };
      const machine = { cores: 2, timezone: 'UTC', terminal: false };
      const { config } = await readSettings({ environment, folder: cli.folder, machine });
      const options = { serving: false, mayCreateStore: true, folder: cli.folder, modules: [httpModule()] };
      const host = hosts.use(await openHost(config, options));
      const { migrations } = await prepareStore(host);
      const core = await host.get(serviceIds.core);
      const url = await (await host.get(serviceIds.server)).listen(0, '127.0.0.1');
      const { secret } = await core.tokens.issue(root, { login: 'admin', name: null, ttl: null });
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const openApi = JSON.parse((await cli.command('openapi', { environment: settings })).out);
      const checkedFetch = fetchCheckedBy(new OpenApiCheck(openApi));
      const ask = async (method: string, path: string, body?: object) => {
        const response = await checkedFetch(`${url}/api/v1${path}`, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, json: response.status === 204 ? null : JSON.parse(await response.text()) };
      };
      return {
        core,
        ask,
        migrations,
        store: await host.get(serviceIds.store),
        close: () => host[Symbol.asyncDispose](),
      };
    }

    const addCompany = (core: Awaited<ReturnType<typeof start>>['core']) =>
      core.records('Company').save(root, { code: 'acme', name: 'Acme' });
    const easter = { company_id: 1, name: 'Easter', on: '2027-03-28T00:00:00Z' };

    it('has a table, routes, audit entries and commands, and outlives restarts with and without the plugin', async () => {
      const first = await start();
      expect(first.migrations).to.include(migration);
      expect(await (first.store as MikroOrmStore).schema.hasDrifted()).to.equal(false);
      await addCompany(first.core);
      expect((await first.ask('POST', '/holiday/', easter)).json).to.include({ kind: 'own', letters: 6 });
      expect((await first.ask('POST', '/holiday/', { ...easter, kind: 'public' })).status).to.equal(200);
      await first.close();

      const unloaded = await start({});
      expect(unloaded.migrations).to.deep.equal([]);
      expect((await unloaded.ask('GET', '/holidays.json')).status).to.equal(404);
      const { json: entries } = await unloaded.ask('GET', '/auditlog.json?limit=all');
      expect(entries.map((entry: { entity_type: string }) => entry.entity_type)).to.include('Holiday');
      const refused = await unloaded.ask('DELETE', '/company/1.json?cascade=true');
      expect([refused.status, refused.json.detail]).to.deep.equal([
        409,
        'This Company is still referenced by the records of a plugin that is not loaded.',
      ]);
      expect((await unloaded.core.verifyAudit()).problem).to.equal(null);
      await unloaded.close();

      const again = await start();
      expect(again.migrations).to.deep.equal([]);
      const [holiday] = (await again.ask('GET', '/holidays.json')).json;
      expect(holiday).to.include({ name: 'Easter', kind: 'public', letters: 6 });
      const { json: changes } = await again.ask('GET', `/auditlog.json?entity_type=Holiday&entity_id=${holiday.id}`);
      expect(changes.map((entry: { action: string }) => entry.action)).to.deep.equal(['update', 'create']);
      await again.close();

      const command = async (line: string) => cli.command(line, { environment: loaded });
      expect((await command('holiday:list --format json')).json).to.have.length(1);
      expect((await command('auditlog:list --entity-type Holiday --format json')).json).to.have.length(2);
      expect((await command('describe holiday')).out).to.include('company_id');
      expect((await command('permissions')).out).to.include('Holiday');
      expect((await command('schema')).out).to.include('horarium_holiday');
      expect((await command('plugin:list')).out).to.match(/resource +Holiday/);
      expect((await command('help holiday')).out).to.include('holiday:save');
      expect((await cli.command('holiday:list')).code).to.equal(2);
    });

    it('gets its table once, whatever the number of hosts that start at once, and in a store that has data', async () => {
      const before = await start({});
      await addCompany(before.core);
      await before.close();
      const started = await Promise.all([start(), start(), start()]);
      expect(started.flatMap(({ migrations }) => migrations)).to.deep.equal([migration]);
      expect((await started[0].ask('POST', '/holiday/', easter)).status).to.equal(201);
      expect((await started[1].ask('GET', '/holidays.json')).json).to.have.length(1);
    });

    it('whose migration is not written yet has its SQL printed, statement by statement', async () => {
      const file = join(cli.folder, 'holidays.mjs');
      writeFileSync(
        file,
        `import holidays from ${JSON.stringify(pathToFileURL(plugin).href)};
        const [{ resource }] = holidays.resources;
        export default { ...holidays, resources: [{ resource, migrations: [] }] };`,
      );
      const { HORARIUM_DATABASE_URL: url = '' } = cli.environment;
      expect((await cli.command('migrate')).code).to.equal(0);
      const { out } = await cli.command('plugin:migration', { environment: { HORARIUM_PLUGINS: file } });
      await databaseKinds[kind].execute(url, out);
      expect((await cli.command('plugin:migration', { environment: { HORARIUM_PLUGINS: file } })).out.trim()).to.equal(
        '',
      );
      await databaseKinds[kind].execute(url, `insert into horarium_migrations (name) values ('${migration}')`);
      const { store } = await start();
      expect(await (store as MikroOrmStore).schema.hasDrifted()).to.equal(false);
    });

    it('of a newer version of the plugin stops an older one, and no host without the plugin', async () => {
      const host = await start();
      await databaseKinds[kind].execute(
        database.url,
        `insert into horarium_migrations (name) values ('plugin:holidays:20991231-colors')`,
      );
      const newer = await rejectionOf((host.store as MikroOrmStore).schema.pending());
      expect(newer).to.be.instanceOf(MigratedByNewerVersion);
      expect(newer.message).to.include('which this version of the plugin holidays does not have');
      await host.close();
      await start({});
    });
  });
}

describe('A resource of a plugin', () => {
  const add = (...plugins: AnyPlugin[]) =>
    addPluginResources(allResources, buildResources(plugins.map((each) => preparePlugin(each, {}, systemClock))));
  const resourceNamed = (name: string, singular = name.toLowerCase(), secret?: 'encrypted') =>
    defineResource({ ...described(name, singular), fields: { note: text(100, { ...(secret && { secret }) }) } });
  const described = (name: string, singular: string) => ({
    name,
    names: { singular, plural: `${singular}s`, id: `${singular}Id` },
    description: 'A note.',
    example: { note: 'Hello' },
    operations: ['list' as const],
    permissions: byRole({ read: 'viewer', write: 'admin' }),
    company: null,
  });
  const withResource = (name: string, resource: AnyResource) =>
    definePlugin({ name, api: 1, resources: [{ resource, migrations: [] }] });
  const withFields = (name: string, field: string, description: Field, of: AnyResource = Topic) => {
    const fields = defineFields(of, { name, fields: { [field]: description } });
    return definePlugin({ name: 'a', api: 1, fields: [{ fields, migrations: [] }] });
  };
  const shown = text(10, { readOnly: true });
  const lost = defineResource({ ...described('Lost', 'lost'), example: {}, fields: { thing_id: ref('Thing') } });
  const dangling = withResource('a', lost);
  const holidayMigrations = holidays.resources?.[0]?.migrations ?? [];

  it('is kept in memory, too', async () => {
    const { resources } = add(holidays);
    const store = new MemoryStore({ tables: tablesOf(resources), clock: systemClock });
    expect(await store.transaction((tables) => tables.of(Holiday).count([], 1))).to.equal(0);
  });

  const twice = { resource: Holiday, migrations: [...holidayMigrations, ...holidayMigrations] };
  for (const [mistake, plugins, message] of [
    ['has the name of another', [withResource('a', resourceNamed('Job'))], /plugin a .* Job, but the name Job is/],
    ['has the path of another', [withResource('a', resourceNamed('Work', 'job'))], /Work, but the name job is/],
    [
      'has encrypted secrets',
      [withResource('a', resourceNamed('Safe', 'safe', 'encrypted'))],
      /Safe, which has encrypted/,
    ],
    ['refers to what there is not', [dangling], /Lost, whose thing_id refers to Thing, which no resource/],
    [
      'has two migrations of one name',
      [{ ...holidays, resources: [twice] }],
      /whose migration 20261126-holiday has the name/,
    ],
    [
      'is provided by two plugins',
      [withResource('a', resourceNamed('Note')), withResource('b', resourceNamed('Note'))],
      /plugins a and b both provide the resource Note/,
    ],
    ['adds fields to what there is not', [withFields('Paint', 'shade', shown, lost)], /Paint, whose records are Lost/],
    ['adds a field that there is', [withFields('Paint', 'color', shown)], /whose color is a field of Topic already/],
    [
      'adds a field twice',
      [withFields('Paint', 'shade', shown), { ...withFields('Wash', 'shade', shown), name: 'b' }],
      /whose shade is a field of/,
    ],
    ['adds fields under the name of a resource', [withFields('Job', 'shade', shown)], /Job, but the name Job is that/],
    ['adds fields under the name of bookkeeping', [withFields('Setting', 'shade', shown)], /but the name Setting is/],
    ['adds a field that callers would set', [withFields('Paint', 'shade', text(10))], /shade must be readOnly/],
    [
      'adds an encrypted secret',
      [withFields('Paint', 'key', text(10, { secret: 'encrypted', hidden: true }))],
      /whose key is an encrypted secret/,
    ],
  ] as const)
    it(`that ${mistake} stops the start`, () => {
      expect(() => add(...plugins)).to.throw(message);
    });
});
