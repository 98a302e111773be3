import { join } from 'node:path';
import { allResources, tablesOf, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { openSqliteStore } from '../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { readConfig } from '../../host/config/read-config.ts';
import type { RecordModel } from '../../host/model.ts';
import { httpModule } from '../../host/modules/http-module.ts';
import { openHost } from '../../host/open-host.ts';
import { serviceIds } from '../../host/service-ids.ts';
import { Holiday } from '../examples/resources/holiday.ts';
import { fetchCheckedBy } from '../support/http/checked-fetch.ts';
import { OpenApiCheck } from '../support/http/openapi-check.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { writtenMigration } from '../support/store/written-migration.ts';

const resources = [...allResources, Holiday];
const password = 'a long enough one';

describe('A resource of a custom host', () => {
  let cli: TestCli;
  let model: RecordModel;

  before(async () => {
    using folder = new TestCli();
    model = { resources, furtherMigrations: { sqlite: [await writeMigration(folder.folder)] } };
    cli = new TestCli(undefined, {}, { model });
    expect((await cli.command('migrate')).code).to.equal(0);
    for (const line of ['company:save --code acme --name Acme', 'company:save --code other --name Other'])
      expect((await cli.command(line)).code).to.equal(0);
  });
  after(() => cli?.[Symbol.dispose]());

  /** Generates the migration that creates the table of the resource, as `migrate:create` does, and imports it. */
  async function writeMigration(folder: string) {
    const file = join(folder, 'schema.sqlite');
    const store = await openSqliteStore({ file, tables: tablesOf(resources), clock: new StandingClock() });
    try {
      await store.schema.migrate();
      return await writtenMigration(store, 'holiday');
    } finally {
      await store.close();
    }
  }

  /** Opens the custom host and lets it listen on a free port. Every response is checked against its OpenAPI document. */
  async function listen() {
    const { config } = readConfig({
      environment: { ...cli.environment, HORARIUM_LOG_LEVEL: 'silent' },
      flags: {},
      machine: { cores: 2, timezone: 'UTC', terminal: false },
    });
    const host = await openHost(config, { serving: false, folder: cli.folder, model, modules: [httpModule()] });
    const core = await host.get(serviceIds.core);
    const url = await (await host.get(serviceIds.server)).listen(0, '127.0.0.1');
    const token = async (login: string) =>
      (await core.tokens.issue(trustedActor('test'), { login, name: null, ttl: null })).secret;
    const checkedFetch = fetchCheckedBy(new OpenApiCheck(JSON.parse((await cli.command('openapi')).out)));
    const ask = async (
      path: string,
      { method = 'GET', login = 'admin', body = undefined as object | undefined } = {},
    ) => {
      const response = await checkedFetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${await token(login)}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        json: /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : text,
      };
    };
    return { host, core, ask, checkedFetch, url };
  }

  it('has the commands of every resource', async () => {
    const saved = await cli.run([
      'holiday:save',
      '--company-id',
      '1',
      '--name',
      'New Year',
      '--on',
      '2027-01-01T00:00:00Z',
      '--format',
      'json',
    ]);
    expect(saved.json).to.deep.include({ name: 'New Year', on: '2027-01-01T00:00:00.000Z', kind: 'own', letters: 8 });
    expect((await cli.command('holiday:list --order name --from 2026-12-31 --format json')).json).to.have.length(1);
    expect((await cli.command('holiday:list --to 2026-12-31 --format json')).json).to.have.length(0);
    expect((await cli.command(`holiday:get ${saved.json.id} --format json`)).json.letters).to.equal(8);
    expect((await cli.command('describe Holiday')).out).to.include('company_id');
    expect((await cli.command('schema')).out).to.include('holiday');
    const entries = await cli.command('auditlog:list --entity-type Holiday --format json');
    expect([entries.err, entries.json?.length]).to.deep.equal(['', 1]);
    const rows = (await cli.command('permissions --format json')).json;
    expect(rows.find((row: { resource: string }) => row.resource === 'Holiday')).to.include({ create: 'manager' });
  });

  it('has the routes of every resource, with its own permissions and audit entries', async () => {
    const { host, core, ask } = await listen();
    await using _closing = host;
    const root = trustedActor('test');
    const eva = await core.records('User').save(root, { login: 'eva', password });
    await core.records('CompanyUser').save(root, { user_id: eva.id, company_id: 1, role: 'viewer' });
    const body = { company_id: 1, name: 'Easter', on: '2027-03-28T00:00:00Z', kind: 'public' };
    const created = await ask('/holiday/', { method: 'POST', body });
    expect([created.status, created.json.letters]).to.deep.equal([201, 6]);
    expect((await ask('/holiday/', { method: 'POST', body: { ...body, kind: 'own' } })).status).to.equal(200);
    expect((await ask('/holiday/', { method: 'POST', body: { ...body, name: 'x' }, login: 'eva' })).status).to.equal(
      403,
    );
    expect((await ask(`/holiday/${created.json.id}.json`, { login: 'eva' })).json.kind).to.equal('own');
    await ask('/holiday/', { method: 'POST', body: { ...body, company_id: 2 } });
    const visible = (await ask('/holidays.json?order=name&from=2027-02-01', { login: 'eva' })).json;
    expect(visible.map((row: { company_id: number; name: string }) => [row.company_id, row.name])).to.deep.equal([
      [1, 'Easter'],
    ]);
    expect((await ask('/holiday/', { method: 'POST', body: { ...body, name: 'x', kind: 'wrong' } })).status).to.equal(
      422,
    );
    expect((await ask(`/holiday/${created.json.id}.json`, { method: 'DELETE' })).status).to.equal(204);
    const entries = (await ask(`/auditlog.json?entity_type=Holiday&entity_id=${created.json.id}`)).json;
    expect(entries.map((entry: { action: string }) => entry.action)).to.deep.equal(['delete', 'update', 'create']);
    expect(entries[1]).to.deep.include({ channel: 'http', company_id: 1, changes: { kind: ['public', 'own'] } });
    expect((await ask('/status')).json.counts.holidays).to.equal(2);
    const refused = await ask('/company/1.json', { method: 'DELETE' });
    expect([refused.status, refused.json.detail]).to.satisfy(
      ([status, detail]: [number, string]) => status === 409 && /Holiday/.test(detail),
    );
  });

  it('is described in the OpenAPI document and on the documentation page', async () => {
    const { host, ask, checkedFetch, url } = await listen();
    await using _closing = host;
    const served = (await ask('/openapi.json')).json;
    const printed = JSON.parse((await cli.command('openapi')).out);
    for (const document of [served, printed]) {
      expect(Object.keys(document.paths)).to.include.members([
        '/holiday',
        '/holidays.{suffix}',
        '/holiday/{holidayId}.{suffix}',
      ]);
      expect(document.components.schemas.Holiday.properties).to.include.keys('on', 'kind', 'letters');
      expect(document.paths['/holiday'].post.description).to.include('the membership role manager');
    }
    const parameters = served.paths['/holidays.{suffix}'].get.parameters.map((each: { name: string }) => each.name);
    expect(parameters).to.include.members(['from', 'to', 'company_id', 'name']);
    const page = await (await checkedFetch(`${url}/docs/api`)).text();
    expect(page).to.include('listHolidays').and.include('A day on which a company does not work.');
  });
});
