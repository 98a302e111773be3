import { companyRoles } from '@horarium/core';
import { expect } from 'chai';
import { barePath } from '../../../../adapters/http/route-paths.ts';
import { type CompanyRecords, PermissionWorld, type Person } from '../../../support/worlds/permission-world.ts';

const world = new PermissionWorld();

/** Part of every text of the other company. */
const marker = /zanzibar/i;

/** Filters that no caller may use, because the field is hidden. */
const refusedFilters = ['eventrules?company_id'];

describe('Data of another company', () => {
  let people: Person[];
  let other: CompanyRecords;
  let own: CompanyRecords;

  before(async () => {
    await world.start();
    ({ own, other } = world.companies);
    // Records that both companies refer to could reveal one company to the other.
    for (const id of [own.RunTemplate, other.RunTemplate])
      await world.make(`/runtemplate/${id}.json`, { topics: [world.shared.Topic] });
    for (const id of [own.Credential, other.Credential])
      await world.make(`/credential/${id}.json`, { credential_type_id: world.shared.CredentialType });
    people = await Promise.all(companyRoles.map((role) => world.person('editor', role)));
  });
  after(() => world.stop());

  /** The paths of all routes that read, with ids of that company. */
  const paths = (records: CompanyRecords) => {
    const ids: Readonly<Record<string, number>> = {
      ...world.shared,
      ...records,
      appId: world.shared.App,
      topicId: world.shared.Topic,
      credentialTypeID: world.shared.CredentialType,
      eventSourceId: world.shared.EventSource,
      companyId: records.Company,
      runTemplateId: records.RunTemplate,
      credentialId: records.Credential,
      eventRuleId: records.EventRule,
      calendarId: records.Calendar,
      maintenanceWindowId: records.MaintenanceWindow,
      pauseId: records.Pause,
      taskId: records.Task,
      jobId: records.Job,
      artifactId: records.Artifact,
      userId: records.member,
      auditLogId: 1,
    };
    return world.service.routes
      .filter((route) => route.method === 'GET' && !['/login.{suffix}', '/docs', '/metrics'].includes(route.path))
      .filter((route) => !route.atRoot && !route.path.startsWith('/openapi'))
      .map((route) => barePath(route).replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name])));
  };

  it('is in no response to a member of one company, in any format', async () => {
    const users = await world.service.requestAsAdmin('/users.json?limit=1000');
    expect(users.text).to.match(marker);
    for (const person of people)
      for (const path of new Set([...paths(own), ...paths(other)]))
        for (const suffix of path.startsWith('/artifact/') ? [''] : ['.json', '.html']) {
          // Every user with a role may see users, but not the companies that they are members of.
          if (/^\/users?(?:\/|$)/.test(path)) continue;
          const response = await person.request(
            'GET',
            `${path}${suffix}${/s$/.test(path) && suffix ? '?limit=1000' : ''}`,
          );
          expect(response.text, `${path}${suffix} as ${person.membership}`).not.to.match(marker);
        }
  });

  it('is not counted, not found by a filter, and never announced as a further page', async () => {
    const [person] = people as [Person];
    for (const [many, kind] of [
      ['companies', 'Company'],
      ['runtemplates', 'RunTemplate'],
      ['credentials', 'Credential'],
      ['eventrules', 'EventRule'],
      ['calendars', 'Calendar'],
      ['maintenancewindows', 'MaintenanceWindow'],
      ['pauses', 'Pause'],
      ['tasks', 'Task'],
      ['jobs', 'Job'],
    ] as const) {
      const all = await person.request('GET', `/${many}.json?limit=1000`);
      expect(all.headers['x-total-count'], many).to.equal(String(all.json.length));
      const first = await person.request('GET', `/${many}.json?limit=${all.json.length}`);
      expect(first.headers['link'], many).to.equal(undefined);
      const filters = [`id=${other[kind]}`, ...(many === 'companies' ? [] : [`company_id=${other.Company}`])];
      if (many === 'jobs' || many === 'tasks') filters.push(`runtemplate_id=${other.RunTemplate}`);
      if (many === 'companies') filters.push('name=Zanzibar');
      for (const filter of filters) {
        const found = await person.request('GET', `/${many}.json?${filter}`);
        if (refusedFilters.includes(`${many}?${filter.replace(/=.*/, '')}`)) {
          expect(found.status, `${many}?${filter}`).to.equal(400);
          continue;
        }
        expect([found.json, found.headers['x-total-count']], `${many}?${filter}`).to.deep.equal([[], '0']);
      }
    }
    const summary = `/tasks/summary.json?from=1970-01-01&to=1970-01-01`;
    expect(
      (await person.request('GET', summary)).json.map((row: { company_id: number }) => row.company_id),
    ).to.deep.equal([own.Company]);
    expect((await person.request('GET', `${summary}&company_id=${other.Company}`)).json).to.deep.equal([]);
    const { counts } = (await person.request('GET', '/status')).json;
    expect(counts).to.include({
      companies: 1,
      tasks: 1,
      jobs: 1,
      credentials: 1,
      eventrules: 1,
      pauses: 1,
      runtemplates: 2,
    });
  });

  it('is indistinguishable from missing data in every error', async () => {
    const manager = people[2] as Person;
    const missing = 987_654;
    const same = async (ask: (id: number) => Promise<{ status: number; json: object }>, id: number, what: string) => {
      const [hidden, none] = [await ask(id), await ask(missing)];
      const comparable = ({ status, json }: { status: number; json: object }, of: number) =>
        JSON.stringify({ status, ...json, request_id: '' }).replace(new RegExp(`\\b${of}\\b`, 'g'), '#');
      expect(comparable(hidden, id), what).to.equal(comparable(none, missing));
      expect(hidden.status, what).to.be.within(400, 499);
    };
    const template = { name: 'x', app_id: world.shared.App, company_id: own.Company, interval: 'none' };
    const post = (path: string, body: (id: number) => object) => (id: number) =>
      manager.request('POST', path, body(id));
    await same(
      post('/runtemplate/', (company_id) => ({ ...template, company_id })),
      other.Company,
      'company_id',
    );
    await same(
      post('/runtemplate/', (id) => ({ ...template, credentials: [id] })),
      other.Credential,
      'credentials',
    );
    await same(
      post('/credential/', (company_id) => ({ name: 'x', company_id })),
      other.Company,
      'credential',
    );
    await same(
      post('/job/', (runtemplate_id) => ({ runtemplate_id })),
      other.RunTemplate,
      'job',
    );
    await same(
      post('/job/', (task_id) => ({ task_id })),
      other.Task,
      'task_id',
    );
    await same(
      post('/eventrule/', (runtemplate_id) => ({ runtemplate_id })),
      other.RunTemplate,
      'eventrule',
    );
    await same(
      post('/pause/', (company_id) => ({ company_id, reason: 'x' })),
      other.Company,
      'pause of a company',
    );
    await same(
      post('/pause/', (runtemplate_id) => ({ runtemplate_id, reason: 'x' })),
      other.RunTemplate,
      'pause of a template',
    );
    await same(
      post('/maintenancewindow/', (calendar_id) => ({ company_id: own.Company, calendar_id, name: 'x' })),
      other.Calendar,
      'calendar of a maintenance window',
    );
    const rule = (runtemplate_source_id: number) => ({ runtemplate_id: own.RunTemplate, runtemplate_source_id });
    await same(post('/eventrule/', rule), other.RunTemplate, 'runtemplate_source_id');
    for (const [one, kind] of [
      ['company', 'Company'],
      ['runtemplate', 'RunTemplate'],
      ['credential', 'Credential'],
      ['eventrule', 'EventRule'],
      ['calendar', 'Calendar'],
      ['maintenancewindow', 'MaintenanceWindow'],
      ['pause', 'Pause'],
      ['job', 'Job'],
      ['task', 'Task'],
    ] as const)
      for (const method of one === 'task' ? ['GET'] : ['GET', 'POST', 'DELETE'])
        await same(
          (id) => manager.request(method, `/${one}/${id}.json`, method === 'POST' ? {} : undefined),
          other[kind],
          one,
        );
    await same((id) => manager.request('GET', `/company/${id}/users.json`), other.Company, 'users');
    await same((id) => manager.request('POST', `/company/${id}/user/`, { user_id: 1 }), other.Company, 'user');
    await same((id) => manager.request('DELETE', `/company/${id}/user/1`), other.Company, 'delete user');
    await same((id) => manager.request('GET', `/job/${id}/output.json`), other.Job, 'output');
    await same((id) => manager.request('GET', `/runtemplate/${id}/preview.json`), other.RunTemplate, 'preview');
    await same((id) => manager.request('GET', `/artifact/${id}`), other.Artifact, 'artifact');
  });

  it('is indistinguishable from a free name to members who may not create such records', async () => {
    const taken = (await world.service.requestAsAdmin(`/user/${other.member}.json`)).json.login;
    const { code } = (await world.service.requestAsAdmin(`/company/${other.Company}.json`)).json;
    for (const person of people.slice(0, 3))
      for (const [path, field, name] of [
        ['/user/', 'login', taken],
        ['/company/', 'code', code],
        [`/company/${own.Company}/user/`, 'login', taken],
      ] as const) {
        const told = async (value: string) => {
          const { status, json } = await person.request('POST', path, { [field]: value, name: 'x' });
          return [status, json.code, json.detail, json.errors];
        };
        const whenTaken = await told(name);
        expect(whenTaken[0], path).to.equal(403);
        expect(whenTaken, `${path} as ${person.membership}`).to.deep.equal(await told('nobody-has-this'));
      }
  });

  it('is not named where it blocks a delete or takes a natural key', async () => {
    const manager = people[2] as Person;
    const { status, json } = await manager.request('DELETE', `/topic/${world.shared.Topic}.json`);
    expect(status).to.equal(409);
    expect(json.detail).to.match(/records that you may not see/);
    expect(json.detail).not.to.match(new RegExp(`RunTemplate [^;]*\\b${other.RunTemplate}\\b`));
  });
});
