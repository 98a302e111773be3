import { allResources, trustedActor } from '@horarium/core';
import { RunTemplate } from '@horarium/core/plugin';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { Holiday } from '../../examples/resources/holiday.ts';
import { Page } from '../../support/http/page.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { PermissionWorld, type Person } from '../../support/worlds/permission-world.ts';

interface Found {
  readonly resource: string;
  readonly id: number;
  readonly title: string;
  readonly subtitle: string | null;
  readonly company_id: number | null;
}

describe('The search of the console', () => {
  const core = new MemoryCore({ resources: [...allResources, Holiday] });
  const world = new PermissionWorld({ core, sessions: true, extraRoutes: consoleRoutes });
  let page: Page;

  before(async () => {
    await world.start();
    page = await new Page(world.service).open();
  });
  after(() => world.stop());

  const path = (q: string, more = '') => `/console/search?q=${encodeURIComponent(q)}${more}`;
  const search = async (q: string, more = ''): Promise<Found[]> => (await page.request(path(q, more))).json;
  const searchAs = async (person: Person, q: string): Promise<Found[]> => (await person.request('GET', path(q))).json;
  const kinds = (found: readonly Found[]) => found.map(({ resource }) => resource);
  const titles = (found: readonly Found[]) => found.map(({ title }) => title);

  it('finds records of every kind that has names, one of a plugin too', async () => {
    const { Company: company_id } = world.companies.own;
    const word = 'walrus';
    const app = (await world.make('/app/', { name: `The ${word}`, executable: 'true' })).id;
    await world.make('/company/', { code: word, name: 'Of the sea' });
    await world.make('/user/', { login: `${word}-keeper` });
    await world.make('/topic/', { name: word });
    await world.make('/credential_type/', { code: `${word}-key`, name: 'Key' });
    await world.make('/credential/', { company_id, name: `Key of the ${word}` });
    await world.make('/calendar/', { company_id, name: `Feasts of the ${word}` });
    await world.make('/eventsource/', { name: `${word} calls`, kind: 'table' });
    await world.make('/holiday/', { company_id, name: `Day of the ${word}`, on: '2026-11-24T00:00:00Z' });
    const fields = { company_id, app_id: app, interval: 'none' };
    const template = (await world.make('/runtemplate/', { ...fields, code: word, name: 'Feed it' })).id;
    const found = await search(word);
    expect(kinds(found)).to.have.members(
      'App Company User Topic CredentialType Credential Calendar EventSource Holiday RunTemplate'.split(' '),
    );
    expect(found.find(({ resource }) => resource === 'RunTemplate')).to.deep.equal({
      resource: 'RunTemplate',
      id: template,
      title: 'Feed it',
      subtitle: `${word} · Ours`,
      company_id,
    });
    expect(found[0]).to.include({ resource: 'Topic', title: word, subtitle: null, company_id: null });
  });

  it('finds words in any order and case, without their accents, the beginnings of names first', async () => {
    for (const name of ['Záloha účtů', 'Účetní záloha', 'Předzálohování'])
      await world.make('/topic/', { name, description: 'nothing of it' });
    expect(titles(await search('zaloha UCTU'))).to.deep.equal(['Záloha účtů']);
    expect(titles(await search('účtů záloha'))).to.deep.equal(['Záloha účtů']);
    expect(titles(await search('ZÁLOH'))).to.deep.equal(['Záloha účtů', 'Účetní záloha', 'Předzálohování']);
    expect(await search('zaloha nothing')).to.deep.equal([]);
  });

  it('takes what patterns are made of as it is', async () => {
    await world.make('/topic/', { name: `100% sure_ly 'x' \\ .*` });
    for (const q of ['100%', 'sure_ly', `'x'`, '\\', '.*', '0%'])
      expect(titles(await search(q)), q).to.deep.equal([`100% sure_ly 'x' \\ .*`]);
    for (const q of ['1_0', '100_', '%sure', '[a-z]']) expect(await search(q), q).to.deep.equal([]);
  });

  it('finds by its name the company of a record, after what has the words itself', async () => {
    const found = await search('zanzibar');
    expect(found[0]).to.include({ resource: 'Company', title: 'Zanzibar' });
    expect(new Set(found.map(({ subtitle }) => subtitle?.includes('Zanzibar')))).to.include(true);
    const { id } = await world.template(world.companies.other.Company, 'Otter');
    const [first] = await search('otter zanz');
    expect(first).to.include({ resource: 'RunTemplate', id, company_id: world.companies.other.Company });
  });

  it('finds what has an id, first of all runs and jobs, which go by no other name', async () => {
    const { own } = world.companies;
    const job = await search(String(own.Job));
    const template = (await world.make(`/runtemplate/${own.RunTemplate}.json`, { name: 'Called' })).name;
    expect(job.find(({ resource }) => resource === 'Job')).to.deep.equal({
      resource: 'Job',
      id: own.Job,
      title: `Job ${own.Job}`,
      subtitle: `${template.replace('Called', job.find(({ resource }) => resource === 'RunTemplate')?.title ?? '')} · Ours`,
      company_id: own.Company,
    });
    const found = await search(String(own.Task));
    expect(kinds(found)).to.include.members(['Task', 'RunTemplate', 'App']);
    expect(kinds(found).indexOf('Task')).to.be.below(kinds(found).indexOf('RunTemplate'));
    expect(kinds(found).filter((each) => each === 'RunTemplate')).to.have.length(1);
    expect(await search('987654321')).to.deep.equal([]);
  });

  it('shows each user what that user may see, and nothing of other companies', async () => {
    const { own, other } = world.companies;
    const member = await world.person('none', 'viewer');
    const seen = await searchAs(member, 'zanzibar');
    expect(seen).to.deep.equal([]);
    expect(kinds(await searchAs(member, 'ours'))).to.include.members(['Company', 'RunTemplate', 'Credential']);
    expect((await searchAs(member, 'ours')).map(({ company_id }) => company_id)).to.satisfy((ids: (number | null)[]) =>
      ids.every((id) => id === own.Company || id === null),
    );
    expect(kinds(await searchAs(member, String(other.Job)))).not.to.include('Job');
    expect(kinds(await searchAs(member, String(own.Job)))).to.include('Job');
    const viewer = await world.person('viewer', 'none');
    expect(kinds(await searchAs(viewer, 'shared'))).to.include.members(['App', 'Topic', 'User', 'EventSource']);
    expect(await searchAs(viewer, 'ours')).to.satisfy((found: Found[]) =>
      found.every(({ company_id }) => company_id === null),
    );
    const admin = await world.person('admin', 'none');
    expect(kinds(await searchAs(admin, 'zanzibar'))).to.include.members(['Company', 'RunTemplate']);
  });

  it('never finds a record by a secret, or by what is long', async () => {
    const { Company: company_id } = world.companies.own;
    await world.make('/user/', { login: 'secretive', password: 'hippopotamus-in-the-room' });
    await world.make('/credential/', { company_id, name: 'Plain', values: { TOKEN: 'hippopotamus' } });
    await world.make('/topic/', { name: 'Described', description: 'hippopotamus' });
    expect(await search('hippopotamus')).to.deep.equal([]);
    const { secret } = await core.createToken('root');
    expect(await search(secret.slice(0, 20))).to.deep.equal([]);
  });

  it('returns the twenty best, or fewer where the limit is lower, and nothing for no words', async () => {
    await core.store.transaction(trustedActor('test'), async (tables) => {
      const { Company: company_id } = world.companies.own;
      const fields = { company_id, app_id: world.shared.App, interval: 'none' } as const;
      const rows = Array.from({ length: 300 }, (_, index) => newRow(RunTemplate, { ...fields, name: `Herd ${index}` }));
      await tables.of(RunTemplate).insert([...rows, newRow(RunTemplate, { ...fields, name: 'A herd' })]);
    });
    const found = await search('herd');
    expect(found).to.have.length(20);
    expect(found[0]?.title).to.equal('Herd 0');
    expect(titles(await search('a herd'))[0]).to.equal('A herd');
    expect(await search('herd', '&limit=3')).to.deep.equal(found.slice(0, 3));
    expect(await search('')).to.deep.equal([]);
    expect(await search('  ')).to.deep.equal([]);
    expect((await page.request('/console/search')).json).to.deep.equal([]);
  });

  it('finds the records of one kind alone, a hundred at most, as filters narrow them and the caller may see them', async () => {
    const { own, other } = world.companies;
    const herd = await search('herd', '&resource=RunTemplate');
    expect(herd).to.have.length(100);
    expect(kinds(await search('ours', '&resource=Credential'))).to.satisfy(
      (found: string[]) => found.length > 0 && found.every((each) => each === 'Credential'),
    );
    const filters = (text: string) => `&resource=RunTemplate&filters=${encodeURIComponent(text)}`;
    const ids = (found: readonly Found[]) => found.map(({ company_id }) => company_id);
    expect(ids(await search('otter', filters(`company_id=${other.Company}`)))).to.deep.equal([other.Company]);
    expect(await search('otter', filters(`company_id=${own.Company}`))).to.deep.equal([]);
    expect(await search(String(own.RunTemplate), filters(`company_id=${other.Company}`))).to.deep.equal([]);
    const member = await world.person('none', 'viewer');
    const { json } = await member.request('GET', path('otter', '&resource=RunTemplate'));
    expect(json).to.deep.equal([]);
  });

  it('reads the newest records of a kind up to a bound, and says so where there are more', async () => {
    await core.store.transaction(trustedActor('test'), async (tables) => {
      const { Company: company_id } = world.companies.other;
      const fields = { company_id, app_id: world.shared.App, interval: 'none', name: 'Plankton' } as const;
      await tables.of(RunTemplate).insert([newRow(RunTemplate, { ...fields, name: 'Forgotten whale' })]);
      for (let count = 0; count < 20; count += 1)
        await tables.of(RunTemplate).insert(Array.from({ length: 1000 }, () => newRow(RunTemplate, fields)));
      await tables.of(RunTemplate).insert([newRow(RunTemplate, { ...fields, name: 'Newest whale' })]);
    });
    const { json, headers } = await page.request(path('whale'));
    expect(titles(json)).to.deep.equal(['Newest whale']);
    expect(headers['warning']).to.equal('299 - "Only the newest 20000 run templates were searched."');
    const member = await world.person('none', 'viewer');
    expect((await member.request('GET', path('ours'))).headers).not.to.have.property('warning');
  });

  for (const [query, detail] of [
    [`q=${'x'.repeat(201)}`, 'q has 201 characters: at most 200 are searched for.'],
    ['q=a+b+c+d+e+f+g+h+i+j+k', 'q has 11 words: at most 10 are searched for.'],
    ['q=a&limit=21', 'limit must be a whole number from 1 to 20.'],
    ['q=a&limit=0', 'limit must be a whole number from 1 to 20.'],
    ['q=a&limit=many', 'limit must be a whole number from 1 to 20.'],
    ['q=a&resource=App&limit=101', 'limit must be a whole number from 1 to 100.'],
    ['q=a&resource=Ap', 'There is no resource Ap. Did you mean App?'],
    ['resource=App&filters=executable%3Da', 'executable is not a filter of apps.'],
    ['q=a&offset=1', 'There is no query parameter offset here; it accepts q, resource, filters, limit.'],
  ] as const)
    it(`refuses ${query.slice(0, 30)}`, async () => {
      const { status, json } = await page.request(`/console/search?${query}`);
      expect([status, json.detail]).to.deep.equal([400, detail]);
    });

  it('is refused to who has not signed in', async () => {
    expect((await world.service.request('/console/search?q=a')).status).to.equal(401);
  });

  it('shows what people act on before other kinds with the same words', async () => {
    const { Company: company_id } = world.companies.own;
    const name = 'Narwhal';
    await world.make('/topic/', { name });
    const app_id = (await world.make('/app/', { name, executable: 'true' })).id;
    await world.make('/company/', { code: 'narwhal', name });
    await world.make('/runtemplate/', { name, company_id, app_id, interval: 'none' });
    expect(kinds(await search(name))).to.deep.equal(['RunTemplate', 'Company', 'App', 'Topic']);
  });
});
