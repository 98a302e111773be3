import { type Actor, type AppliedConfiguration, allResources, configuredKinds } from '@horarium/core';
import { expect } from 'chai';
import { maxAppliedChanges, maxAppliedRecords } from '#core/configuration/apply';
import { mask } from '#core/secret/ciphertext';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { storeKinds } from '../../support/store/store-kinds.ts';
import {
  app,
  ConfigurationWorld,
  done,
  type Kinds,
  nightly,
  operator,
  recordsOf,
  small,
  two,
  whole,
} from '../../support/worlds/configuration-world.ts';

/** The same with masks in place of the secrets, as an export has it. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return / secret$/.test(value) ? mask : value;
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item)]));
}

describe('The configuration', () => {
  let world: ConfigurationWorld;
  beforeEach(() => {
    world = new ConfigurationWorld();
  });

  it('has every kind of record that can be saved but people, their rights and pauses', () => {
    expect(configuredKinds(allResources).map(({ names }) => names.plural)).to.have.members(Object.keys(whole));
  });

  for (const [title, open] of Object.entries(storeKinds))
    it(`is exported as it was applied, and applied again changes nothing, on ${title}`, async () => {
      const { store, close } = await open();
      try {
        world = new ConfigurationWorld({ store });
        const { changes, unchanged } = await world.apply(whole);
        expect(changes.map(({ action }) => action)).to.deep.equal(recordsOf(whole).map(() => 'create'));
        expect(unchanged).to.equal(0);
        const fields = await world.fieldsOf();
        expect(fields).to.deep.equal(masked(whole));
        expect(Object.keys(fields)).to.deep.equal(Object.keys(whole));
        const entries = await world.core.auditLog.count(operator, {}, 1000);
        for (const again of [fields, whole]) {
          const repeated = await world.apply(again, { prune: true });
          expect(done(repeated)).to.deep.equal([]);
          expect(repeated.unchanged).to.equal(recordsOf(whole).length);
        }
        expect(await world.core.auditLog.count(operator, {}, 1000)).to.equal(entries);
      } finally {
        await world.core.stop();
        await close();
      }
    });

  it('is applied to another service without its secrets, which are named each time until they are set', async () => {
    const shown = masked({ ...whole, eventsources: [], eventrules: [] }) as Kinds;
    const missing = ({ changes }: AppliedConfiguration) =>
      changes.filter((each) => each.missing.length > 0).map((each) => [each.action, each.name, ...each.missing]);
    expect(missing(await world.apply(shown))).to.deep.equal([
      ['create', 'credential acme/Account', 'values.TOKEN'],
      ['create', 'run template acme/nightly', 'environment.PASSWORD'],
    ]);
    const again = await world.apply(shown);
    expect(missing(again)).to.deep.equal([
      ['keep', 'credential acme/Account', 'values.TOKEN'],
      ['keep', 'run template acme/nightly', 'environment.PASSWORD'],
    ]);
    const { id } = await world.template('nightly');
    await world.core.runTemplates.save(operator, { id, environment: { DATABASE: 'shop', PASSWORD: 'set since' } });
    expect(missing(await world.apply(shown))).to.deep.equal([['keep', 'credential acme/Account', 'values.TOKEN']]);
    expect(masked((await world.fieldsOf())['runtemplates'])).to.deep.equal(masked(whole.runtemplates));
  });

  it('keeps a value that is stored in the clear where the file has a mask', async () => {
    await world.apply({ ...small, apps: [{ ...app, environment: { KEY: { type: 'string' } } }] });
    await world.apply({ runtemplates: [{ ...nightly, environment: { KEY: 'clear' } }] });
    await world.apply({ runtemplates: [{ ...nightly, note: 'changed', environment: { KEY: mask } }] });
    expect((await world.template('nightly')).environment).to.deep.equal({ KEY: 'clear' });
  });

  it('shows no secret in a plan', async () => {
    await world.apply(whole);
    const [credential] = whole.credentials;
    const plan = await world.apply({
      credentials: [{ ...credential, values: { LOGIN: 'other', TOKEN: 'a new secret' } }],
      runtemplates: [{ ...nightly, code: 'new', environment: { PASSWORD: 'one more secret' } }],
    });
    expect(done(plan)).to.deep.equal(['update credential acme/Account', 'create run template acme/new']);
    expect(plan.changes[0]?.changes['values']).to.deep.equal([
      { LOGIN: 'backup', TOKEN: mask },
      { LOGIN: 'other', TOKEN: mask },
    ]);
    expect(JSON.stringify(plan))
      .to.match(/"PASSWORD":"•{8}"/)
      .and.not.match(/(?:new|more) secret/);
  });

  it('sets what is left out to its default, but for names and what is required', async () => {
    await world.apply({ ...small, runtemplates: [{ ...nightly, delay: '30m', note: 'later', max_attempts: 3 }] });
    const before = await world.core.apps.list(operator);
    const { name: _name, interval: _interval, ...less } = nightly;
    const plan = await world.apply({ apps: [app], runtemplates: [{ ...less, delay: 60 }] });
    expect(plan.unchanged).to.equal(1);
    expect(plan.changes[0]?.changes).to.deep.equal({ delay: [1800, 60], max_attempts: [3, 1], note: ['later', null] });
    expect(await world.core.apps.list(operator)).to.deep.equal(before);
    expect(await world.template('nightly')).to.include({
      name: 'Nightly',
      interval: 'daily',
      timezone: 'Europe/Prague',
    });
  });

  it('writes values in other words as the same ones', async () => {
    await world.apply({ ...small, runtemplates: [{ ...nightly, delay: 1800, catch_up: 'all' }] });
    const same = { ...nightly, delay: '30m', interval: 'd', max_attempts: 1, catch_up: 'all', topics: [] };
    expect(await world.apply({ runtemplates: [same] })).to.deep.equal({ changes: [], unchanged: 1 });
  });

  it('names other records in changes as files do', async () => {
    await world.apply({ ...small, apps: [app, { ...app, code: 'other' }], topics: [{ name: 'One' }, { name: 'Two' }] });
    const plan = await world.apply({ runtemplates: [{ ...nightly, app_id: 'other', topics: ['One', 'Two'] }] });
    expect(plan.changes[0]).to.deep.include({
      action: 'update',
      kind: 'RunTemplate',
      name: 'run template acme/nightly',
      changes: { app_id: ['dump', 'other'], topics: [[], ['One', 'Two']] },
    });
  });

  it('knows a record by its code, or else by its name', async () => {
    await world.apply({ ...small, runtemplates: [{ ...nightly, code: undefined }] });
    const byName = await world.apply({ runtemplates: [{ ...nightly, code: 'nightly', delay: 1 }] });
    expect(byName.changes[0]?.changes).to.deep.equal({ code: [null, 'nightly'], delay: [0, 1] });
    const { code: _code, ...withoutCode } = nightly;
    expect((await world.apply({ runtemplates: [withoutCode] })).changes[0]?.changes).to.deep.equal({ delay: [1, 0] });
    expect(done(await world.apply({ runtemplates: [{ ...nightly, code: 'weekly' }] }))).to.deep.equal([
      'create run template acme/weekly',
    ]);
    expect(await world.errorOf({ runtemplates: [{ ...withoutCode, delay: 2 }] })).to.match(
      /^runtemplates\[0\]: 2 run templates have the name “Nightly” \(1, 2\), and none is as in the file: /,
    );
  });

  it('knows records without a name by all that they have', async () => {
    await world.apply(whole);
    const [first, second] = whole.eventrules;
    const plan = await world.apply({ eventrules: [{ ...second, evidence: 'invoice' }, { ...first }] }, { prune: true });
    expect(done(plan)).to.deep.equal([
      'delete event rule acme/2',
      'delete event rule acme/Chain',
      'create event rule acme/4',
    ]);
    // In other words: by a name in place of a code, and with defaults.
    const same = { ...first, runtemplate_id: 'acme/Nightly', enabled: true, priority: 0, operation: 'any' };
    expect(await world.apply({ eventrules: [same] })).to.deep.equal({ changes: [], unchanged: 1 });
    expect((await world.fieldsOf())['eventrules']).to.deep.equal([first, { ...second, evidence: 'invoice' }]);
  });

  it('takes the id of a record that has no name of its own, and warns of it', async () => {
    await world.apply(small);
    const account = { name: 'Account', company_id: 1 };
    await world.core.credentials.save(operator, { ...account, values: { A: 'first value' } });
    await world.core.credentials.save(operator, { ...account, values: { B: 'second value' } });
    expect(await world.errorOf({ runtemplates: [{ ...nightly, credentials: ['Account'] }] })).to.equal(
      'runtemplates[0]: RunTemplate is invalid: credentials[0]: 2 credentials are called “Account”; give the id, one of 1, 2',
    );
    await world.apply({ runtemplates: [{ ...nightly, credentials: [2] }] });
    const fields = await world.fieldsOf();
    expect(fields['runtemplates']).to.deep.equal([{ ...nightly, timezone: 'Europe/Prague', credentials: [2] }]);
    expect((await world.core.configuration.export(operator)).warnings).to.deep.equal([
      'run template acme/nightly refers to the credential 2, which has no name that only one has: elsewhere that is not understood.',
    ]);
    expect(await world.apply(fields)).to.deep.equal({ changes: [], unchanged: 5 });
    const elsewhere = new ConfigurationWorld();
    const shared = { ...fields, runtemplates: [nightly] };
    expect(done(await elsewhere.apply(shared)).filter((line) => line.includes('credential'))).to.deep.equal([
      'create credential acme/Account',
      'create credential acme/Account',
    ]);
    expect(await elsewhere.errorOf(shared)).to.match(
      /^credentials\[0\]: 2 credentials have the name “Account” \(1, 2\)/,
    );
  });

  it('leaves a field with secrets as it is where it is left out, but no secret within one that is there', async () => {
    await world.apply(whole);
    const [, template] = whole.runtemplates;
    const { environment: _environment, ...without } = template as typeof template & { environment: object };
    expect(done(await world.apply({ runtemplates: [without] }))).to.deep.equal([]);
    const [credential] = whole.credentials;
    const { values: _values, ...empty } = credential as typeof credential & { values: object };
    expect(done(await world.apply({ credentials: [empty] }))).to.deep.equal([]);
    const plan = await world.apply({ runtemplates: [{ ...without, environment: { DATABASE: 'shop' } }] });
    expect(plan.changes[0]?.changes).to.deep.equal({
      environment: [{ DATABASE: 'shop', PASSWORD: mask }, { DATABASE: 'shop' }],
    });
  });

  it('knows an app by its UUID, also when its code changes, and by its code where the UUID is another one', async () => {
    await world.apply(small);
    const [stored] = (await world.fieldsOf())['apps'] ?? [];
    const renamed = await world.apply({
      apps: [{ ...stored, code: 'renamed', uuid: String(stored?.['uuid']).toUpperCase() }],
    });
    expect(renamed.changes[0]?.changes).to.deep.equal({ code: ['dump', 'renamed'] });
    const uuid = '6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63';
    const other = await world.apply({ apps: [{ ...app, code: 'renamed', uuid }] });
    expect(other.changes[0]).to.deep.include({ action: 'update', changes: { uuid: [stored?.['uuid'], uuid] } });
  });

  it('says which secrets get another value', async () => {
    await world.apply({ ...whole, eventrules: [] });
    const [credential] = whole.credentials;
    const values = { LOGIN: 'backup', TOKEN: 'another long value' };
    const plan = await world.apply({ credentials: [{ ...credential, values }] });
    expect(plan.changes[0]?.secrets).to.deep.equal(['values.TOKEN']);
    expect((await world.apply({ credentials: [{ ...credential, values }] })).changes).to.deep.equal([]);
  });

  for (const [title, open] of Object.entries(storeKinds))
    it(`is applied once where two are applied at the same time, on ${title}`, async () => {
      const { store, close } = await open();
      try {
        const both = [new ConfigurationWorld({ store }), new ConfigurationWorld({ store })];
        await both[0]?.apply(two);
        const credentials = Array.from({ length: 50 }, (_, index) => ({
          company_id: 'acme',
          name: `Account ${index}`,
        }));
        const results = await Promise.allSettled(both.map((each) => each.apply({ credentials })));
        for (const each of results.filter(({ status }) => status === 'rejected'))
          expect(String((each as PromiseRejectedResult).reason)).to.contain('Another configuration is being applied');
        expect(results.map(({ status }) => status)).to.include('fulfilled');
        expect((await both[0]?.fieldsOf())?.['credentials']).to.have.lengthOf(50);
      } finally {
        await close();
      }
    });

  it('is exported for one company without what companies share', async () => {
    await world.apply(whole);
    const fields = await world.fieldsOf({ company: 'beta' });
    expect(Object.keys(fields)).to.deep.equal(['companies', 'calendars', 'runtemplates']);
    expect(fields['companies']).to.deep.equal([{ code: 'beta', name: 'Beta' }]);
    expect(done(await world.apply({ ...fields, runtemplates: [] }, { prune: true }))).to.deep.equal([
      'delete run template beta/nightly',
      'delete run template beta/without a code',
    ]);
    const error = await rejectionOf(world.core.configuration.export(operator, { company: 'ghost' }));
    expect(error.message).to.equal('There is no Company ghost.');
  });

  it('changes nothing in a dry run, and tells the same', async () => {
    await world.apply(small);
    const before = await world.fieldsOf();
    const change = {
      apps: [
        { ...app, version: '2' },
        { ...app, code: 'new' },
      ],
      runtemplates: [],
      ...two,
    };
    const plan = await world.apply(change, { dryRun: true, prune: true, kinds: ['runtemplates'] });
    expect(await world.fieldsOf()).to.deep.equal(before);
    // Ids that a dry run has assigned are not assigned again.
    const withoutIds = ({ changes }: AppliedConfiguration) => changes.map(({ id: _id, ...change }) => change);
    const applied = await world.apply(change, { prune: true, kinds: ['runtemplates'] });
    expect(withoutIds(applied)).to.deep.equal(withoutIds(plan));
    expect(await world.fieldsOf()).to.not.deep.equal(before);
  });

  it('is that of the companies whose records the actor may see and save', async () => {
    await world.apply(whole);
    const manager: Actor = {
      ...operator,
      name: 'mia',
      userId: 9,
      roles: new Set(),
      memberships: new Map([[2, 'manager']]),
    };
    const seen = await world.fieldsOf({}, manager);
    expect(seen['companies']).to.deep.equal([{ code: 'beta', name: 'Beta' }]);
    expect(seen['runtemplates']).to.deep.equal(whole.runtemplates.slice(2));
    expect((await world.apply(seen, {}, manager)).changes).to.deep.equal([]);
    const [first, second] = whole.runtemplates.slice(2);
    expect(
      done(await world.apply({ runtemplates: [{ ...first, delay: 5 }, second as never] }, { prune: true }, manager)),
    ).to.deep.equal(['update run template beta/nightly']);
    expect(await world.errorOf({ apps: [{ ...app, version: '2' }] }, {}, manager)).to.equal(
      'apps[0]: mia may not update App records: that takes the role admin.',
    );
    expect(await world.errorOf({ runtemplates: [{ ...nightly, delay: 5 }] }, {}, manager)).to.equal(
      'runtemplates[0]: RunTemplate is invalid: company_id: there is no company “acme”',
    );
  });

  it('is bounded in its records, and in what one transaction changes', async () => {
    const topics = Array.from({ length: maxAppliedRecords + 1 }, (_, index) => ({ name: `Topic ${index}` }));
    expect(await world.errorOf({ topics })).to.equal('10001 records are too many at once: give at most 10000.');
    expect(await world.errorOf({ topics: topics.slice(0, maxAppliedChanges + 1) })).to.equal(
      'More than 2000 records would be changed in one transaction: give them in parts, such as one company at a time.',
    );
    expect((await world.apply({ topics: topics.slice(0, maxAppliedChanges) })).changes).to.have.lengthOf(2000);
  });
});
