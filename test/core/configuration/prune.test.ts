import { expect } from 'chai';
import {
  ConfigurationWorld,
  done,
  type Kinds,
  nightly,
  operator,
  small,
  two,
  whole,
} from '../../support/worlds/configuration-world.ts';

describe('Applying a configuration with prune', () => {
  let world: ConfigurationWorld;
  beforeEach(() => {
    world = new ConfigurationWorld();
  });

  it('deletes what is not in the files of the kinds and companies that are, but no company', async () => {
    await world.apply(whole);
    const plan = await world.apply({ companies: [two.companies[0]], runtemplates: [whole.runtemplates[0]] } as Kinds, {
      prune: true,
      kinds: ['eventrules', 'maintenancewindows'],
    });
    expect(done(plan)).to.deep.equal([
      'delete event rule acme/1',
      'delete event rule acme/2',
      'delete event rule acme/Chain',
      'delete maintenance window acme/patches',
      'delete run template acme/nightly',
    ]);
    const fields = await world.fieldsOf();
    expect(fields['runtemplates']?.map(({ name }) => name)).to.deep.equal([
      'With a slash',
      'Nightly',
      'without a code',
    ]);
  });

  it('makes inactive what has a history, once, and keeps what is still needed', async () => {
    await world.apply({ ...small, topics: [{ name: 'One' }], runtemplates: [{ ...nightly, topics: ['One'] }] });
    await world.core.jobs.schedule(operator, { runtemplate_id: 1 });
    const nothing = { companies: small.companies, apps: [], topics: [], runtemplates: [] };
    const plan = await world.apply(nothing, { prune: true, kinds: Object.keys(nothing) });
    expect(plan.changes.map(({ action, name, reason }) => [action, name, reason])).to.deep.equal([
      [
        'deactivate',
        'run template acme/nightly',
        'RunTemplate 1 cannot be deleted, because it is still referenced by Job 1 (runtemplate_id).',
      ],
      [
        'deactivate',
        'app dump',
        'App 1 cannot be deleted, because it is still referenced by RunTemplate 1 (app_id); Job 1 (app_id).',
      ],
      ['keep', 'topic One', 'Topic 1 cannot be deleted, because it is still referenced by RunTemplate 1 (topics).'],
    ]);
    expect((await world.template('nightly')).active).to.equal(false);
    const again = await world.apply(nothing, { prune: true, kinds: Object.keys(nothing) });
    expect([done(again), again.unchanged]).to.deep.equal([['keep topic One'], 3]);
  });

  it('leaves records of all companies alone where the files have only those of a company', async () => {
    await world.apply(whole);
    const acme = whole.calendars.filter(({ company_id: company }) => company === 'acme');
    expect(done(await world.apply({ calendars: acme }, { prune: true }))).to.deep.equal([]);
    expect(done(await world.apply({ topics: whole.topics, calendars: acme }, { prune: true }))).to.deep.equal([]);
    const shared = whole.calendars.filter(({ company_id: company }) => company === undefined);
    const plan = await world.apply({ calendars: [...shared, { ...acme[0], code: 'de' }] as never }, { prune: true });
    expect(done(plan)).to.deep.equal(['create calendar acme/de', 'keep calendar acme/cz']);
  });

  it('makes room for new records before they are saved', async () => {
    const chain = (from: string, to: string) => ({
      runtemplate_source_id: `acme/${from}`,
      runtemplate_id: `acme/${to}`,
      event: 'failed',
    });
    await world.apply({
      ...small,
      runtemplates: [nightly, { ...nightly, code: 'b' }],
      eventrules: [chain('nightly', 'b')],
    });
    const reversed = { eventrules: [chain('b', 'nightly')] };
    expect(await world.errorOf(reversed)).to.contain('This rule would close a loop');
    expect(done(await world.apply(reversed, { prune: true }))).to.deep.equal([
      'delete event rule acme/1',
      'create event rule acme/3',
    ]);
  });
});
