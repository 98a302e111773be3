import { App, Company, CredentialType, EventSource, Job, mask, RunTemplate, serializeRow } from '@horarium/core';
import { expect } from 'chai';
import { decryptOverrides } from '#core/job/overrides';
import { newRow } from '#core/store/table';
import { decryptField, expectNotLogged, secret } from '../../support/secrets/secret-checks.ts';
import {
  invalidFields,
  recordServices,
  recordWorld,
  refusal,
  root,
  smallCompany,
} from '../../support/worlds/record-world.ts';

describe('Defaults of secret variables and fields', () => {
  it('are encrypted in the row and masked in answers', async () => {
    const world = recordWorld();
    const environment = { A: { type: 'secret', default: secret }, B: { default: 'plain' } };
    const app = await world.save('App', { name: 'x', executable: 'x', environment });
    expect(serializeRow(App, app)['environment']).to.deep.equal({
      ...environment,
      A: { type: 'secret', default: mask },
    });
    const fields = [{ keyword: 'A', secret: true, default: secret }];
    const type = await world.save('CredentialType', { code: 'x', name: 'x', fields });
    expect(serializeRow(CredentialType, type)['fields']).to.deep.equal([{ ...fields[0], default: mask }]);
    await expectNotLogged(world, secret);
  });

  it('are not taken over by another field that moves into their place', async () => {
    const world = recordWorld();
    const field = (keyword: string, value: string) => ({ keyword, secret: true, default: value });
    const fields = [field('A', 'first default'), field('B', 'second default')];
    const { id } = await world.save('CredentialType', { code: 'x', name: 'x', fields });
    const moved = world.save('CredentialType', { id, fields: [field('B', mask)] });
    expect(await invalidFields(moved)).to.deep.equal(['fields[0].default']);
    const longer = [field('A', mask), { ...field('B', mask), name: 'b' }, { keyword: 'C' }];
    const saved = await world.save('CredentialType', { id, fields: longer });
    expect(decryptField(CredentialType, saved, 'fields')).to.deep.equal([
      fields[0],
      { ...fields[1], name: 'b' },
      { keyword: 'C' },
    ]);
  });
});

describe('Secrets in environments', () => {
  const environment = { API_KEY: { type: 'password' }, PLACE: { type: 'string' } };

  it('are encrypted in companies and templates when an App or a credential type declares the key secret', async () => {
    const world = recordWorld();
    const { app, company, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment });
    const fields = [{ keyword: 'PIN', type: 'secret' }];
    const { id: credential_type_id } = await world.save('CredentialType', { code: 't', name: 't', fields });
    const credential = await world.save('Credential', { name: 'c', company_id: company.id, credential_type_id });
    const set = { API_KEY: secret, PLACE: 'here', PIN: '4711-4711' };
    const shown = { API_KEY: mask, PLACE: 'here', PIN: mask };
    const richer = await world.save('RunTemplate', { id: template.id, environment: set, credentials: [credential.id] });
    expect(serializeRow(RunTemplate, richer)['environment']).to.deep.equal(shown);
    expect(decryptField(RunTemplate, richer, 'environment')).to.deep.equal(set);
    const firm = await world.save('Company', { id: company.id, environment: set });
    expect(serializeRow(Company, firm)['environment']).to.deep.equal(shown);
    await expectNotLogged(world, secret, '4711-4711');
  });

  it('keep what is stored when their mask is sent back, and are deleted when their key is left out', async () => {
    const world = recordWorld();
    const { app, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment });
    const { environment: stored } = await world.save('RunTemplate', {
      id: template.id,
      environment: { API_KEY: secret },
    });
    const back = await world.save('RunTemplate', { id: template.id, environment: { API_KEY: mask, PLACE: 'x' } });
    expect(back.environment).to.deep.equal({ ...stored, PLACE: 'x' });
    expect((await world.save('RunTemplate', { id: template.id, environment: {} })).environment).to.deep.equal({});
    await expectNotLogged(world, secret);
  });

  it('have at most 64 KiB in a record, options of plugins included; the value that makes them more is named', async () => {
    const world = recordWorld();
    const { app, company, template } = await smallCompany(world);
    const half = 'x'.repeat(32_768);
    const secrets = (count: number) => Object.fromEntries(['A', 'B', 'C'].slice(0, count).map((key) => [key, half]));
    const declared = (defaults: Record<string, string>) =>
      Object.fromEntries(['A', 'B', 'C'].map((key) => [key, { type: 'secret', default: defaults[key] ?? null }]));
    await world.save('App', { id: app.id, environment: declared({}) });
    const saves: readonly [resource: string, id: number, field: string, fields: (count: number) => object][] = [
      ['App', app.id, 'environment.C.default', (count) => ({ environment: declared(secrets(count)) })],
      ['Company', company.id, 'environment.C', (count) => ({ environment: secrets(count) })],
      ['RunTemplate', template.id, 'environment.C', (count) => ({ environment: secrets(count) })],
    ];
    for (const [resource, id, field, fields] of saves) {
      await world.save(resource, { id, ...fields(2) });
      expect(await invalidFields(world.save(resource, { id, ...fields(3) }))).to.deep.equal([field]);
    }
    const options = { executor: 'remote', executor_options: { host: 'h', key: 'a secret' } };
    const more = world.save('RunTemplate', { id: template.id, ...options });
    expect(await invalidFields(more)).to.deep.equal(['executor_options.key']);
  });

  it('that are more since their keys were declared secret are kept, and only further secrets are rejected', async () => {
    const world = recordWorld();
    const { app, company } = await smallCompany(world);
    const keys = ['A', 'B', 'C'];
    const stored = Object.fromEntries(keys.map((key) => [key, 'x'.repeat(32_768)]));
    const save = (fields: object) => world.save('Company', { id: company.id, ...fields });
    await save({ environment: stored });
    const declared = Object.fromEntries([...keys, 'D'].map((key) => [key, { type: 'secret' }]));
    await world.save('App', { id: app.id, environment: declared });
    const row = await world.records('Company').get(root, company.id);
    expect(decryptField(Company, row, 'environment')).to.deep.equal(stored);
    const shown = { A: mask, B: mask, C: mask };
    await save({ name: 'renamed', environment: { ...shown, PLACE: 'here' } });
    expect(await invalidFields(save({ environment: { ...shown, D: 'x' } }))).to.deep.equal(['environment.D']);
    await save({ environment: { A: mask, B: 'shorter', D: 'x' } });
  });

  it('are stored in the clear in a template when only another App declares the key secret', async () => {
    const world = recordWorld();
    const { app, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment: { API_KEY: {} } });
    await world.save('App', { name: 'x', executable: 'x', environment });
    const plain = await world.save('RunTemplate', { id: template.id, environment: { API_KEY: 'plain' } });
    expect(plain.environment).to.deep.equal({ API_KEY: 'plain' });
  });

  it('are encrypted when their key is declared secret later, and masked in the audit entry of that change', async () => {
    const world = recordWorld();
    const { app, company, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment: { API_KEY: {}, PLACE: {} } });
    await world.save('Company', { id: company.id, environment: { API_KEY: 'company key', PIN: 'company pin' } });
    await world.save('RunTemplate', { id: template.id, environment: { API_KEY: 'template key', PLACE: 'x' } });
    const before = (await world.audit()).length;
    await world.save('App', { id: app.id, environment });
    const between = (await world.audit()).length;
    await world.save('CredentialType', { code: 't', name: 't', fields: [{ keyword: 'PIN', secret: true }] });
    const firm = await world.records('Company').get(root, company.id);
    expect(serializeRow(Company, firm)['environment']).to.deep.equal({ API_KEY: mask, PIN: mask });
    const row = await world.records('RunTemplate').get(root, template.id);
    expect(serializeRow(RunTemplate, row)['environment']).to.deep.equal({ API_KEY: mask, PLACE: 'x' });
    expect(decryptField(RunTemplate, row, 'environment')).to.deep.equal({ API_KEY: 'template key', PLACE: 'x' });
    const since = (await world.audit()).slice(before);
    expect(JSON.stringify(since)).not.to.match(/company key|template key/);
    expect(JSON.stringify((await world.audit()).slice(between))).not.to.include('company pin');
    const entry = since.find((each) => each.entity_type === 'RunTemplate');
    expect(entry?.changes['environment']).to.deep.equal([
      { API_KEY: mask, PLACE: 'x' },
      { API_KEY: mask, PLACE: 'x' },
    ]);
  });

  type Small = Awaited<ReturnType<typeof smallCompany>>;
  const declarations: Readonly<
    Record<string, (world: ReturnType<typeof recordWorld>, small: Small) => Promise<unknown>>
  > = {
    'their key is declared secret later': (world, { app }) => world.save('App', { id: app.id, environment }),
    'their template changes to an App that declares their key secret': async (world, { template }) => {
      const other = await world.save('App', { name: 'other', executable: 'x', environment });
      return world.save('RunTemplate', { id: template.id, app_id: other.id });
    },
  };
  for (const [when, declare] of Object.entries(declarations))
    it(`are encrypted in scheduled jobs when ${when}`, async () => {
      const world = recordWorld();
      const small = await smallCompany(world);
      const { app, company, template } = small;
      const given = { API_KEY: 'given key', PLACE: 'x' };
      const values = { runtemplate_id: template.id, app_id: app.id, company_id: company.id, scheduled_at: 0 };
      const job = newRow(Job, { ...values, overrides: given, environment: given });
      await world.store.transaction(root, (tables) => tables.of(Job).insert([job]));
      const before = (await world.audit()).length;
      await declare(world, small);
      const [waiting] = await world.store.read((tables) => tables.of(Job).find());
      expect(waiting?.environment).to.deep.equal({ API_KEY: mask, PLACE: 'x' });
      expect(waiting?.overrides['PLACE']).to.equal('x');
      expect(decryptOverrides(recordServices.vault, template.id, waiting?.overrides ?? {})).to.deep.equal(given);
      expect(JSON.stringify([waiting, (await world.audit()).slice(before)])).not.to.include('given key');
    });
});

describe('Secret options of plugins', () => {
  it('are encrypted for executors, actions and event sources', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const action = { action: 'webhook', url: 'https://example.com', secret };
    const set = { executor: 'remote', executor_options: { host: 'h', key: secret }, on_failure: [action] };
    const row = await world.save('RunTemplate', { id: template.id, ...set });
    expect(serializeRow(RunTemplate, row)).to.deep.include({
      executor_options: { host: 'h', key: mask },
      on_failure: [{ ...action, id: row.on_failure[0].id, secret: mask }],
    });
    const options = { host: 'h', password: secret };
    const source = await world.save('EventSource', { name: 's', kind: 'changes-table', options });
    expect(serializeRow(EventSource, source)['options']).to.deep.equal({ host: 'h', password: mask });
    await expectNotLogged(world, secret);
  });

  it('keep what is stored when they are left out or masked, but not for another plugin', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const set = { id: template.id, executor: 'remote', executor_options: { host: 'h', key: secret } };
    const { executor_options: stored } = await world.save('RunTemplate', set);
    for (const options of [{ host: 'h' }, { host: 'h', key: mask }])
      expect((await world.save('RunTemplate', { ...set, executor_options: options })).executor_options).to.deep.equal(
        stored,
      );
    const native = { id: template.id, executor: 'native', executor_options: {} };
    expect((await world.save('RunTemplate', native)).executor_options).to.deep.equal({});
    const back = { ...set, executor_options: { host: 'h' } };
    expect((await world.save('RunTemplate', back)).executor_options).to.deep.equal({ host: 'h' });
  });

  it('are sent again with another address of an event source, or another kind', async () => {
    const world = recordWorld();
    const options = { host: 'h', password: secret };
    const { id } = await world.save('EventSource', { name: 's', kind: 'changes-table', options });
    const save = (input: object) => world.save('EventSource', { id, ...input });
    await save({ name: 'kept', options: { host: 'h', port: 1, password: mask } });
    for (const moved of [{ host: 'other' }, { host: 'h', port: 2, password: mask }])
      expect(await invalidFields(save({ options: moved }))).to.deep.equal(['options.password']);
    const feed = { kind: 'feed', options: { password: mask } };
    const error = await refusal(save(feed));
    const message = 'options.password must be sent again with kind, because it was saved for another address';
    expect(error.errors).to.deep.equal([{ field: 'options.password', message }]);
    await save({ options: { host: 'other', password: secret } });
  });

  it('are not shown in errors', async () => {
    const world = recordWorld();
    const { template } = await smallCompany(world);
    const set = { id: template.id, executor: 'remote', executor_options: { host: 'h', key: { secret } } };
    const error = await refusal(world.save('RunTemplate', set));
    expect(`${error.message}${JSON.stringify(error.errors)}`).not.to.include(secret);
  });
});
