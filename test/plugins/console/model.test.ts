import { type AnyAction, allResources, choice, flag, integer, text } from '@horarium/core';
import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { Holiday } from '../../examples/resources/holiday.ts';
import { Page } from '../../support/http/page.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { PermissionWorld, type Person } from '../../support/worlds/permission-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into the model as pages do.
type Described = any;

const pager: AnyAction = {
  name: 'pager',
  options: {
    number: text(32, { description: 'Whom to call.' }).required(),
    token: text(255, { secret: 'encrypted' }),
    tries: integer().min(1).max(9).default(3),
    voice: choice(['low', 'high'], { description: 'How it speaks.', meanings: { low: 'as a bass', high: 'shrilly' } }),
    loud: flag(false),
  },
  adminOnly: true,
  endpoint: () => 'tel:1',
  deliver: async () => ({}),
};

describe('The model of the console', () => {
  const core = new MemoryCore({ resources: [...allResources, Holiday] });
  core.actions.set('pager', pager);
  const world = new PermissionWorld({ core, sessions: true, extraRoutes: consoleRoutes });
  const { service } = world;
  let page: Page;
  let model: Described;

  before(async () => {
    await world.start();
    page = await new Page(service).open();
    model = (await page.request('/console/model')).json;
  });
  after(() => world.stop());

  const resource = (name: string): Described => model.resources.find((each: Described) => each.name === name);
  const named = (fields: readonly Described[], name: string) => fields.find((each) => each.name === name);
  const field = (of: string, name: string): Described => named(resource(of).fields, name);

  it('has every kind of records, one of a plugin too, with what lists and paths need', () => {
    expect(model.resources.map(({ name }: Described) => name)).to.have.members(core.resources.map(({ name }) => name));
    expect(resource('RunTemplate')).to.deep.include({
      singular: 'runtemplate',
      plural: 'runtemplates',
      id: 'runTemplateId',
      noun: 'run template',
      nouns: 'run templates',
      operations: ['list', 'get', 'save', 'delete'],
      nested: false,
      naming: ['code', 'name'],
      key: ['company_id', 'code'],
      company: 'company_id',
      period: null,
    });
    expect(resource('Holiday')).to.deep.include({ plural: 'holidays', summary: ['id', 'company_id', 'name', 'on'] });
    expect(field('Holiday', 'on')).to.deep.equal({ name: 'on', label: 'On', type: 'instant', required: true });
    expect(field('Holiday', 'letters')).to.include({ type: 'integer', read_only: true });
    expect(resource('Task').embedded).to.deep.equal({ jobs: 'Job' });
  });

  it('has each field that a save takes, and marks the others as read only', () => {
    const schemas = service.document.components['schemas'] as Record<string, Described>;
    for (const { name, operations, fields } of model.resources.filter(({ nested }: Described) => !nested)) {
      if (!operations.includes('save')) continue;
      const taken = Object.entries<Described>(schemas[`${name}Input`].properties)
        .filter(([property, schema]) => property !== 'id' && !schema.readOnly)
        .map(([property]) => property);
      const writable = fields.filter((each: Described) => !each.read_only);
      const names = writable.flatMap((each: Described) => [each.name, each.named_by ?? []].flat());
      expect(names, name).to.have.members(taken);
      expect(fields.slice(0, writable.length), name).to.deep.equal(writable);
    }
  });

  it('says of a field what a form shows of it', () => {
    expect(field('RunTemplate', 'timeout')).to.deep.equal({
      name: 'timeout',
      label: 'Timeout',
      type: 'integer',
      nullable: true,
      min: 1,
      max: 2_147_483_647,
      description: 'Seconds after which an attempt is stopped; null = none.',
      format: 'duration',
      accepts_text: true,
    });
    expect(field('RunTemplate', 'company_id')).to.include({
      label: 'Company',
      type: 'reference',
      reference: 'Company',
      create_only: true,
      required: true,
      filter: 'several',
      sort: true,
    });
    expect(field('RunTemplate', 'timezone')).to.include({ format: 'timezone', default: 'Europe/Prague' });
    expect(field('RunTemplate', 'cron')).to.include({ format: 'cron', nullable: true });
    expect(field('RunTemplate', 'note')).to.include({ format: 'lines', max: 65_535 });
    expect(field('RunTemplate', 'executor')).to.include({ names: 'executors', default: 'native' });
    expect(field('CompanyUser', 'user_id')).to.include({ named_by: 'login' });
    expect(field('Topic', 'color')).to.include({ format: 'colour', pattern: '^#[0-9A-Fa-f]{6}$' });
    expect(field('User', 'password')).to.include({ secret: true, min: 12 }).and.not.have.property('default');
    expect(field('AuditLog', 'entity_type').choices).to.include.members(['RunTemplate', 'Holiday']);
    const dayOff = field('RunTemplate', 'day_off');
    expect(dayOff.choices).to.deep.equal(Object.keys(dayOff.meanings));
    expect(dayOff.description).to.equal('What becomes of a window that begins on a day off of the calendar.');
  });

  it('has the parts of structured data, down to the last', () => {
    const declared = field('App', 'environment');
    expect(declared).to.deep.include({
      type: 'map',
      keys: { max: 255, pattern: '^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,254}$' },
    });
    expect(declared.value.type).to.equal('object');
    expect(named(declared.value.fields, 'type')).to.deep.include({ type: 'choice', label: 'Type' });
    expect(named(declared.value.fields, 'default')).to.include({ type: 'scalar', nullable: true });
    const severity = named(field('App', 'exit_codes').value.fields, 'severity');
    expect(severity.choices).to.include('critical');
    expect(named(field('App', 'exit_codes').value.fields, 'description').value).to.deep.equal({
      type: 'text',
      max: 65_535,
    });
    const dates = field('Calendar', 'dates');
    expect(dates).to.include({ type: 'list', max: 1000 });
    expect(named(dates.item.fields, 'date')).to.deep.equal({
      name: 'date',
      label: 'Date',
      type: 'text',
      max: 10,
      required: true,
    });
    expect(field('App', 'arguments').item).to.deep.equal({ type: 'text', max: 32_768 });
    expect(field('App', 'extra')).to.include({ type: 'json' });
  });

  it('says which field chooses the members of structured data, and what these are', () => {
    expect(field('RunTemplate', 'executor_options').members).to.deep.equal({ by: 'executor', options: 'executors' });
    expect(field('RunTemplate', 'on_failure').members).to.deep.equal({ by: 'action', options: 'actions' });
    expect(field('EventSource', 'options').members).to.deep.equal({ by: 'kind', options: 'event_source_kinds' });
    expect(field('Calendar', 'rules').members).to.deep.equal({ by: 'rule', options: 'calendar_rules' });
    expect(field('Credential', 'values').members).to.deep.equal({ by: 'credential_type_id', declared: 'fields' });
    expect(model.executors.map(({ name }: Described) => name)).to.include.members(['native', 'external']);
    const [{ fields, ...action }] = model.actions;
    expect(action).to.deep.equal({ name: 'pager', admin_only: true });
    expect(named(fields, 'number')).to.deep.include({ type: 'text', required: true, description: 'Whom to call.' });
    expect(named(fields, 'token')).to.include({ secret: true });
    expect(named(fields, 'tries')).to.include({ min: 1, max: 9, default: 3 });
    expect(named(fields, 'voice')).to.deep.include({ meanings: { low: 'as a bass', high: 'shrilly' } });
    expect(model.event_source_kinds).to.deep.include({
      name: 'table',
      fields: [{ name: 'host', label: 'Host', type: 'text', nullable: true, max: 255 }],
    });
  });

  it('has the roles, and the formats that whole lists can be exported in', () => {
    expect(model.company_roles).to.deep.equal(['viewer', 'operator', 'manager', 'admin']);
    expect(model.grantable_roles).to.deep.equal(model.roles);
    const whole = model.formats.filter(({ whole_lists }: Described) => whole_lists);
    expect(whole.map(({ suffix }: Described) => suffix)).to.include.members(['json', 'csv']);
  });

  it('has no secret field among those that are filtered or ordered by', () => {
    const secrets = model.resources.flatMap(({ fields }: Described) =>
      fields.filter(({ secret }: Described) => secret),
    );
    expect(secrets).not.to.be.empty;
    expect(secrets.filter(({ filter, sort }: Described) => filter || sort)).to.deep.equal([]);
  });

  it('is answered to a page and to a token alike, and to no other', async () => {
    const { status, json } = await service.requestAsAdmin('/console/model');
    expect([status, json]).to.deep.equal([200, model]);
    expect((await service.request('/console/model')).status).to.equal(401);
    const wrong = await page.request('/console/model?of=App');
    expect([wrong.status, wrong.json.detail]).to.deep.equal([
      400,
      'There is no query parameter of here; it accepts none.',
    ]);
    expect(service.document.paths).not.to.have.property('/console/model');
  });

  it('is sent again only when it has changed, be it by a right', async () => {
    const manager = await world.person('none', 'manager');
    const tagOf = async (person: Person) => (await person.request('GET', '/console/model')).headers['etag'] as string;
    const tag = await tagOf(manager);
    const headers = { authorization: `Bearer ${(await core.createToken('root')).secret}`, 'if-none-match': tag };
    expect((await service.request('/console/model', { headers })).status).to.equal(200);
    const own = (await page.request('/console/model')).headers['etag'] as string;
    expect((await page.request('/console/model', { headers: { 'if-none-match': own } })).status).to.equal(304);
    await world.make(`/company/${world.companies.own.Company}/user/`, { user_id: manager.id, role: 'operator' });
    expect(await tagOf(manager)).not.to.equal(tag);
  });

  const rightsOf = async (person: Person, name: string) => {
    const { json } = await person.request('GET', '/console/model');
    return json.resources.find((each: Described) => each.name === name).rights;
  };
  const all = { read: true, create: 'all', update: 'all', delete: 'all' };
  const readOnly = { read: true, create: [], update: [], delete: [] };
  const none = { ...readOnly, read: false };

  it('says what a member of a company may do there', async () => {
    const own = [world.companies.own.Company];
    const manager = await world.person('none', 'manager');
    const wholly = { read: true, create: own, update: own, delete: own };
    expect(await rightsOf(manager, 'RunTemplate')).to.deep.equal(wholly);
    expect(await rightsOf(manager, 'Holiday')).to.deep.equal(wholly);
    expect(await rightsOf(manager, 'Job')).to.deep.equal({ ...wholly, delete: [] });
    expect(await rightsOf(manager, 'Company')).to.deep.equal(readOnly);
    expect(await rightsOf(manager, 'App')).to.deep.equal(readOnly);
    expect(await rightsOf(manager, 'CredentialType')).to.deep.equal(none);
    const operator = await world.person('none', 'operator');
    expect(await rightsOf(operator, 'RunTemplate')).to.deep.equal(readOnly);
    expect(await rightsOf(operator, 'Pause')).to.deep.equal(wholly);
    expect(await rightsOf(operator, 'App')).to.deep.equal(none);
  });

  it('says what roles in the whole service allow', async () => {
    const viewer = await world.person('viewer', 'none');
    expect(await rightsOf(viewer, 'App')).to.deep.equal(readOnly);
    expect(await rightsOf(viewer, 'RunTemplate')).to.deep.equal(none);
    expect(await rightsOf(viewer, 'Pause')).to.deep.equal(readOnly);
    expect(await rightsOf(viewer, 'Token')).to.deep.equal({ read: true, create: 'own', update: 'own', delete: 'own' });
    const editor = await world.person('editor', 'none');
    expect(await rightsOf(editor, 'Topic')).to.deep.equal(all);
    expect(await rightsOf(editor, 'App')).to.deep.equal(readOnly);
    const admin = await world.person('admin', 'none');
    expect(await rightsOf(admin, 'RunTemplate')).to.deep.equal(all);
    expect(await rightsOf(admin, 'Task')).to.deep.equal(readOnly);
    const { json } = await admin.request('GET', '/console/model');
    expect(json.grantable_roles).to.deep.equal(['admin', 'editor', 'user', 'viewer']);
  });
});
