import { formatInstant, RunTemplate, serializeRow } from '@horarium/core';
import { expect } from 'chai';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { invalidFields, recordWorld, refusal, root, smallCompany, user } from '../../support/worlds/record-world.ts';

describe('Saving a record', () => {
  it('creates a record with the default of every missing field and returns all of its fields', async () => {
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
      keep_days: null,
      keep_files_days: null,
      keep_last: null,
      max_attempts: 1,
      retry_backoff: 'none',
      retry_delay: 0,
      retry_max_delay: 86400,
      allow_late: false,
      timeout: null,
      overlap: 'forbid',
      priority: 0,
      max_running: null,
      calendar_id: null,
      catch_up: 'latest',
      day_off: 'skip',
      executor: 'native',
      executor_options: {},
      environment: {},
      credentials: [],
      topics: [],
      on_start: [],
      on_success: [],
      on_failure: [],
      on_late: [],
      on_missed: [],
      on_recovered: [],
      note: null,
    });
  });

  it('leaves a missing field unchanged, and resets one that is null to its default or rejects it if it is required', async () => {
    const world = recordWorld();
    const { app, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment: { A: {} } });
    const set = { id: template.id, timezone: 'Asia/Tokyo', note: 'x', delay: 60, environment: { A: '1' } };
    await world.save('RunTemplate', set);
    const unchanged = await world.save('RunTemplate', { id: template.id, name: 'other' });
    expect(unchanged).to.include({ timezone: 'Asia/Tokyo', note: 'x', delay: 60 });
    expect(unchanged.environment).to.deep.equal({ A: '1' });
    const clear = { id: template.id, timezone: null, note: null, delay: null, environment: null };
    const cleared = await world.save('RunTemplate', clear);
    expect(cleared).to.include({ timezone: 'Europe/Prague', note: null, delay: 0, name: 'other' });
    expect(cleared.environment).to.deep.equal({});
    expect(
      await invalidFields(world.save('RunTemplate', { id: template.id, name: null, app_id: null })),
    ).to.have.members(['name', 'app_id']);
  });

  it('writes no audit entry and no new updated_at when nothing changes', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const before = (await world.audit()).length;
    world.advance(1000);
    const unchanged = await world.save('Company', { code: 'acme', name: 'acme' });
    expect(unchanged).to.include({ id: company.id, updated_at: company.updated_at });
    expect(await world.audit()).to.have.length(before);
  });

  it('rejects an id that is not a positive integer, and one that does not exist', async () => {
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
    it(`updates the ${name} with the same ${Object.keys(key)}, unless createOnly is set`, async () => {
      const world = recordWorld();
      const created = await world.records(name).save(root, { ...key, ...more });
      const updated = await world.records(name).save(root, { ...key, ...more });
      expect([created.created, updated.created]).to.deep.equal([true, false]);
      expect(updated.id).to.equal(created.id);
      const error = await refusal(world.records(name).save(root, { ...key, ...more }, { createOnly: true }));
      expect(error.code).to.equal('precondition_failed');
    });

  it('updates the template with the same code only if it is of the same company', async () => {
    const world = recordWorld();
    const own = await smallCompany(world);
    const foreign = await smallCompany(world, 'other');
    const save = async (company_id: number) =>
      (await world.save('RunTemplate', { code: 'n', name: 'n', company_id, app_id: own.app.id, interval: 'none' })).id;
    const first = await save(own.company.id);
    expect(await save(own.company.id)).to.equal(first);
    expect(await save(foreign.company.id)).not.to.equal(first);
  });

  it('generates the uuid of an app that is saved without one', async () => {
    const world = recordWorld();
    const { app } = await smallCompany(world);
    expect(app.uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('splits the arguments of an app that come as one text', async () => {
    const world = recordWorld();
    const app = await world.save('App', { name: 'x', executable: 'x', arguments: `-a 'b c' {KEY} "d"` });
    expect(app.arguments).to.deep.equal(['-a', 'b c', '{KEY}', 'd']);
  });

  it('accepts the one-letter names of intervals', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const letters = { n: 'none', i: 'minutely', h: 'hourly', d: 'daily', w: 'weekly', m: 'monthly', y: 'yearly' };
    for (const [letter, interval] of Object.entries(letters))
      expect(await world.save('RunTemplate', { id: template.id, interval: letter })).to.include({ interval });
    const custom = { id: template.id, interval: 'c', cron: '5 4 * * *' };
    expect(await world.save('RunTemplate', custom)).to.include({ interval: 'custom' });
  });

  it('rejects a change of the company of a record', async () => {
    const world = recordWorld();
    const own = await smallCompany(world);
    const foreign = await smallCompany(world, 'other');
    const moved = { id: own.template.id, company_id: foreign.company.id };
    expect(await invalidFields(world.save('RunTemplate', moved))).to.deep.equal(['company_id']);
    expect(await world.save('RunTemplate', { ...moved, company_id: own.company.id })).to.include({ name: 'nightly' });
  });

  it('rejects a change of the user of a membership, whether the user is given by id or by login', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const [eva, petr] = [await world.save('User', { login: 'eva' }), await world.save('User', { login: 'petr' })];
    const { id } = await world.save('CompanyUser', { company_id: company.id, login: 'eva' });
    for (const given of [{ user_id: petr.id }, { login: 'petr' }])
      expect(await invalidFields(world.save('CompanyUser', { id, ...given }))).to.deep.equal(['user_id']);
    expect(await world.save('CompanyUser', { id, login: 'eva' })).to.include({ user_id: eva.id });
  });

  it('rejects references to records of other companies with the message for an unknown id', async () => {
    const world = recordWorld();
    const own = await smallCompany(world);
    const foreign = await smallCompany(world, 'other');
    const foreignCredential = await world.save('Credential', { name: 'x', company_id: foreign.company.id });
    const messageFor = async (id: number) =>
      (await refusal(world.save('RunTemplate', { id: own.template.id, credentials: [id] }))).errors[0]?.message;
    expect(await messageFor(foreignCredential.id)).to.equal(`there is no Credential ${foreignCredential.id}`);
    expect(await messageFor(99)).to.equal('there is no Credential 99');
    const rule = { runtemplate_id: own.template.id, runtemplate_source_id: foreign.template.id };
    expect(await invalidFields(world.save('EventRule', rule))).to.deep.equal(['runtemplate_source_id']);
  });

  it('does not reveal whether a company exists to users who are not its members', async () => {
    const world = recordWorld();
    const { app, company } = await smallCompany(world);
    const { company: own } = await smallCompany(world, 'own');
    const [outsider, manager] = [user(5, ['viewer']), user(6, ['viewer'], { [own.id]: 'manager' })];
    const input = (company_id: number) => ({ name: 'x', interval: 'none', app_id: app.id, company_id });
    for (const id of [company.id, 99]) {
      const error = await refusal(world.save('RunTemplate', input(id), manager));
      expect(error.errors).to.deep.equal([{ field: 'company_id', message: `there is no Company ${id}` }]);
      expect((await refusal(world.save('RunTemplate', input(id), outsider))).code).to.equal('denied');
    }
  });

  it('sets the company of an event rule to that of the template it starts', async () => {
    const world = recordWorld();
    const own = await smallCompany(world);
    const foreign = await smallCompany(world, 'other');
    const source = await world.save('EventSource', { name: 's', kind: 'changes-table', options: { host: 'x' } });
    const rule = await world.save('EventRule', { runtemplate_id: own.template.id, event_source_id: source.id });
    expect(rule).to.include({ company_id: own.company.id, operation: 'any', priority: 0, enabled: true });
    const moved = { id: rule.id, runtemplate_id: foreign.template.id };
    expect(await invalidFields(world.save('EventRule', moved))).to.deep.equal(['runtemplate_id']);
    expect((await refusal(world.save('EventRule', { id: rule.id, company_id: 1 }))).code).to.equal('invalid');
  });

  it('denies a user who may not create such records before it looks for the record', async () => {
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

  it('checks permissions before it reports invalid fields', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const viewer = user(5, ['viewer'], { [company.id]: 'viewer' });
    const wrong = { company_id: company.id, interval: 'never', colour: 1 };
    expect((await refusal(world.save('RunTemplate', wrong, viewer))).code).to.equal('denied');
    expect((await refusal(world.save('App', { colour: 1 }, viewer))).code).to.equal('denied');
  });
});

describe('Reading a list page by page', () => {
  const names = (rows: readonly { name: string }[]) => rows.map((row) => row.name);

  async function topics(count: number) {
    const world = recordWorld();
    for (let n = 1; n <= count; n++) await world.save('Topic', { name: `topic ${n}`, color: n % 2 ? '#111111' : null });
    return world;
  }

  it('returns every row once, in the requested order', async () => {
    const world = await topics(7);
    const pages: string[][] = [];
    for await (const rows of world.records('Topic').pages(root, { order: 'name', limit: 3, offset: 1 }))
      pages.push(names(rows));
    expect(pages).to.deep.equal([
      ['topic 2', 'topic 3', 'topic 4'],
      ['topic 5', 'topic 6', 'topic 7'],
    ]);
    const emptyPages: string[][] = [];
    for await (const rows of world.records('Topic').pages(root, { limit: 2, filters: { name: 'none' } }))
      emptyPages.push(names(rows));
    expect(emptyPages).to.deep.equal([[]]);
  });

  it('lets the event loop turn between two pages, because a whole list would hold up every other request', async () => {
    const world = await topics(5);
    const seen: number[] = [];
    let turns = 0;
    const readAll = async () => {
      for await (const _page of world.records('Topic').pages(root, { limit: 1 })) seen.push(turns);
    };
    await inSingleSteps(readAll, () => {
      turns += 1;
    });
    expect(new Set(seen).size).to.equal(5);
  });

  it('reads a page only after the previous one was consumed', async () => {
    const world = await topics(5);
    const pages = world.records('Topic').pages(root, { limit: 2 });
    expect(names((await pages.next()).value ?? [])).to.deep.equal(['topic 5', 'topic 4']);
    await world.records('Topic').delete(root, 3);
    await world.save('Topic', { name: 'topic 6' });
    expect(names((await pages.next()).value ?? [])).to.deep.equal(['topic 2', 'topic 1']);
    expect((await pages.next()).done).to.equal(true);
  });

  it('returns only the rows that the actor may see', async () => {
    const world = recordWorld();
    await smallCompany(world, 'foreign');
    const own = await smallCompany(world, 'own');
    const ids: number[] = [];
    const member = user(9, ['user'], { [own.company.id]: 'viewer' });
    for await (const rows of world.records('RunTemplate').pages(member))
      ids.push(...rows.map((row: { id: number }) => row.id));
    expect(ids).to.deep.equal([own.template.id]);
  });
});
