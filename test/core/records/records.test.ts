import { formatInstant, RunTemplate, serializeRow } from '@horarium/core';
import { expect } from 'chai';
import { recordWorld, refusal, root, smallCompany, user, wrongFields } from '../../support/worlds/record-world.ts';

describe('saving a record', () => {
  it('creates a record with every default and returns the whole of it', async () => {
    const world = recordWorld();
    const { template, app, company } = await smallCompany(world);
    expect(serializeRow(RunTemplate, template)).to.deep.equal({
      id: 1,
      created_at: formatInstant(Date.UTC(2026, 10, 21)),
      updated_at: formatInstant(Date.UTC(2026, 10, 21)),
      code: null,
      name: 'nightly',
      app_id: app.id,
      company_id: company.id,
      active: true,
      interval: 'daily',
      cron: null,
      timezone: 'Europe/Prague',
      delay: 0,
      jitter: 0,
      starts_at: null,
      ends_at: null,
      deadline: null,
      max_attempts: 1,
      retry_backoff: 'none',
      retry_delay: 0,
      retry_max_delay: 86400,
      allow_late: false,
      timeout: null,
      overlap: 'forbid',
      catch_up: 'latest',
      executor: 'native',
      executor_options: {},
      environment: {},
      credentials: [],
      topics: [],
      on_success: [],
      on_failure: [],
      on_missed: [],
      note: null,
    });
  });

  it('leaves a missing field as it is and clears one that is null', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const set = { id: template.id, timezone: 'Asia/Tokyo', note: 'x', delay: 60, environment: { A: '1' } };
    await world.save('RunTemplate', set);
    const left = await world.save('RunTemplate', { id: template.id, name: 'other' });
    expect(left).to.include({ timezone: 'Asia/Tokyo', note: 'x', delay: 60 });
    expect(left.environment).to.deep.equal({ A: '1' });
    const clear = { id: template.id, timezone: null, note: null, delay: null, environment: null };
    const cleared = await world.save('RunTemplate', clear);
    expect(cleared).to.include({ timezone: 'Europe/Prague', note: null, delay: 0, name: 'other' });
    expect(cleared.environment).to.deep.equal({});
    expect(await wrongFields(world.save('RunTemplate', { id: template.id, name: null, app_id: null }))).to.have.members(
      ['name', 'app_id'],
    );
  });

  it('writes no audit entry and no new updated_at when nothing changes', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const before = (await world.audit()).length;
    world.advance(1000);
    const again = await world.save('Company', { code: 'acme', name: 'acme' });
    expect(again).to.include({ id: company.id, updated_at: company.updated_at });
    expect(await world.audit()).to.have.length(before);
  });

  it('rejects an id that is not a positive integer', async () => {
    const world = recordWorld();
    for (const id of [0, -1, 1.5, '1', null, {}, [1]])
      expect((await refusal(world.save('Topic', { id, name: 'x' }))).code, String(id)).to.equal('bad_request');
    expect((await refusal(world.save('Topic', { id: 7, name: 'x' }))).code).to.equal('not_found');
  });

  const keys = [
    { name: 'App', key: { uuid: '00000000-0000-4000-8000-000000000001' }, more: { name: 'x', executable: 'x' } },
    { name: 'Company', key: { code: 'c' }, more: { name: 'x' } },
    { name: 'User', key: { login: 'eva' }, more: { first_name: 'x' } },
    { name: 'CredentialType', key: { code: 't' }, more: { name: 'x' } },
    { name: 'EventSource', key: { name: 's' }, more: { kind: 'changes-table', options: { host: 'x' } } },
    { name: 'Topic', key: { name: 't' }, more: { color: '#00ff00' } },
  ];
  for (const { name, key, more } of keys)
    it(`finds ${name} by its ${Object.keys(key)} and updates it`, async () => {
      const world = recordWorld();
      const made = await world.records(name).save(root, { ...key, ...more });
      const again = await world.records(name).save(root, { ...key, ...more });
      expect([made.created, again.created]).to.deep.equal([true, false]);
      expect(again.row.id).to.equal(made.row.id);
      const only = await refusal(world.records(name).save(root, { ...key, ...more }, { createOnly: true }));
      expect(only.code).to.equal('precondition_failed');
    });

  it('finds a template by its code within its company only', async () => {
    const world = recordWorld();
    const [one, other] = [await smallCompany(world), await smallCompany(world, 'other')];
    const save = async (company_id: number) =>
      (await world.save('RunTemplate', { code: 'n', name: 'n', company_id, app_id: one.app.id, interval: 'none' })).id;
    const first = await save(one.company.id);
    expect(await save(one.company.id)).to.equal(first);
    expect(await save(other.company.id)).not.to.equal(first);
  });

  it('generates the uuid of an app that is saved without one', async () => {
    const world = recordWorld();
    const { app } = await smallCompany(world);
    expect(app.uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('splits the arguments of an app that are one plain text', async () => {
    const world = recordWorld();
    const app = await world.save('App', { name: 'x', executable: 'x', arguments: `-a 'b c' {KEY} "d"` });
    expect(app.arguments).to.deep.equal(['-a', 'b c', '{KEY}', 'd']);
  });

  it('reads the letters of intervals', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const letters = { n: 'none', i: 'minutely', h: 'hourly', d: 'daily', w: 'weekly', m: 'monthly', y: 'yearly' };
    for (const [letter, interval] of Object.entries(letters))
      expect(await world.save('RunTemplate', { id: template.id, interval: letter })).to.include({ interval });
    const custom = { id: template.id, interval: 'c', cron: '5 4 * * *' };
    expect(await world.save('RunTemplate', custom)).to.include({ interval: 'custom' });
  });

  it('never lets a record change its company', async () => {
    const world = recordWorld();
    const [one, other] = [await smallCompany(world), await smallCompany(world, 'other')];
    const moved = { id: one.template.id, company_id: other.company.id };
    expect(await wrongFields(world.save('RunTemplate', moved))).to.deep.equal(['company_id']);
    expect(await world.save('RunTemplate', { ...moved, company_id: one.company.id })).to.include({ name: 'nightly' });
  });

  it('rejects references to other companies with the message for an unknown id', async () => {
    const world = recordWorld();
    const [one, other] = [await smallCompany(world), await smallCompany(world, 'other')];
    const theirs = await world.save('Credential', { name: 'x', company_id: other.company.id });
    const wrong = async (id: number) =>
      (await refusal(world.save('RunTemplate', { id: one.template.id, credentials: [id] }))).errors[0]?.message;
    expect(await wrong(theirs.id)).to.equal(`there is no Credential ${theirs.id}`);
    expect(await wrong(99)).to.equal('there is no Credential 99');
    const rule = { runtemplate_id: one.template.id, runtemplate_source_id: other.template.id };
    expect(await wrongFields(world.save('EventRule', rule))).to.deep.equal(['runtemplate_source_id']);
  });

  it('does not reveal to a stranger whether a company exists', async () => {
    const world = recordWorld();
    const { app, company } = await smallCompany(world);
    const { company: own } = await smallCompany(world, 'own');
    const [stranger, manager] = [user(5, ['viewer']), user(6, ['viewer'], { [own.id]: 'manager' })];
    const input = (company_id: number) => ({ name: 'x', interval: 'none', app_id: app.id, company_id });
    for (const id of [company.id, 99]) {
      const error = await refusal(world.save('RunTemplate', input(id), manager));
      expect(error.errors).to.deep.equal([{ field: 'company_id', message: `there is no Company ${id}` }]);
      expect((await refusal(world.save('RunTemplate', input(id), stranger))).code).to.equal('denied');
    }
  });

  it('takes the company of an event rule from its target', async () => {
    const world = recordWorld();
    const [one, other] = [await smallCompany(world), await smallCompany(world, 'other')];
    const source = await world.save('EventSource', { name: 's', kind: 'changes-table', options: { host: 'x' } });
    const rule = await world.save('EventRule', { runtemplate_id: one.template.id, event_source_id: source.id });
    expect(rule).to.include({ company_id: one.company.id, operation: 'any', priority: 0, enabled: true });
    const moved = { id: rule.id, runtemplate_id: other.template.id };
    expect(await wrongFields(world.save('EventRule', moved))).to.deep.equal(['runtemplate_id']);
    expect((await refusal(world.save('EventRule', { id: rule.id, company_id: 1 }))).code).to.equal('invalid');
  });

  it('denies who may not create at all before it looks anything up', async () => {
    const world = recordWorld();
    await world.save('Topic', { name: 'taken' });
    const viewer = user(5, ['viewer']);
    for (const input of [{ name: 'taken' }, { name: 'free' }, { nonsense: true }]) {
      const error = await refusal(world.save('Topic', input, viewer));
      expect([error.code, error.message]).to.deep.equal([
        'denied',
        'user 5 may not create Topic records: that takes the role editor.',
      ]);
    }
  });

  it('checks permissions before it reports wrong fields', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const viewer = user(5, ['viewer'], { [company.id]: 'viewer' });
    const wrong = { company_id: company.id, interval: 'never', colour: 1 };
    expect((await refusal(world.save('RunTemplate', wrong, viewer))).code).to.equal('denied');
    expect((await refusal(world.save('App', { colour: 1 }, viewer))).code).to.equal('denied');
  });
});

describe('reading all of a list', () => {
  const names = (rows: readonly { name: string }[]) => rows.map((row) => row.name);

  async function topics(count: number) {
    const world = recordWorld();
    for (let n = 1; n <= count; n++) await world.save('Topic', { name: `topic ${n}`, color: n % 2 ? '#111111' : null });
    return world;
  }

  it('returns every row once, page by page, in the requested order', async () => {
    const world = await topics(7);
    const pages: string[][] = [];
    for await (const rows of world.records('Topic').pages(root, { order: 'name', limit: 3, offset: 1 }))
      pages.push(names(rows));
    expect(pages).to.deep.equal([
      ['topic 2', 'topic 3', 'topic 4'],
      ['topic 5', 'topic 6', 'topic 7'],
    ]);
    const pairs: string[][] = [];
    for await (const rows of world.records('Topic').pages(root, { limit: 2, filters: { name: 'none' } }))
      pairs.push(names(rows));
    expect(pairs).to.deep.equal([[]]);
  });

  it('reads a page only when the previous one was consumed', async () => {
    const world = await topics(5);
    const pages = world.records('Topic').pages(root, { limit: 2 });
    expect(names((await pages.next()).value ?? [])).to.deep.equal(['topic 5', 'topic 4']);
    await world.records('Topic').remove(root, 3);
    await world.save('Topic', { name: 'topic 6' });
    expect(names((await pages.next()).value ?? [])).to.deep.equal(['topic 2', 'topic 1']);
    expect((await pages.next()).done).to.equal(true);
  });

  it('returns only the rows that the actor may see', async () => {
    const world = recordWorld();
    await smallCompany(world, 'acme');
    const other = await smallCompany(world, 'other');
    const seen: number[] = [];
    const member = user(9, ['user'], { [other.company.id]: 'viewer' });
    for await (const rows of world.records('RunTemplate').pages(member))
      seen.push(...rows.map((row: { id: number }) => row.id));
    expect(seen).to.deep.equal([other.template.id]);
  });
});
