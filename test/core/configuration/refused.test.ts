import type { ConfiguredRecord } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import {
  app,
  ConfigurationWorld,
  type Kinds,
  nightly,
  operator,
  small,
  two,
} from '../../support/worlds/configuration-world.ts';

describe('A configuration that cannot be applied', () => {
  let world: ConfigurationWorld;
  beforeEach(() => {
    world = new ConfigurationWorld();
  });

  it('is applied as a whole or not at all, and every problem is named with its place', async () => {
    await world.apply(small);
    const before = await world.fieldsOf();
    const records: ConfiguredRecord[] = [
      { kind: 'topics', fields: { name: 'New' }, at: 'a.yaml:1' },
      { kind: 'apps', fields: { code: 'bad', name: 'Bad' }, at: 'a.yaml:4' },
      { kind: 'runtemplates', fields: { ...nightly, code: 'x', app_id: 'bad' }, at: 'a.yaml:8' },
      { kind: 'runtemplates', fields: { ...nightly, interval: 'weakly' }, at: 'b.yaml:2' },
    ];
    const error = await rejectionOf(world.core.configuration.apply(operator, records));
    expect(error.message.split('\n')).to.deep.equal([
      'a.yaml:4: App is invalid: executable is required',
      'b.yaml:2: RunTemplate is invalid: interval must be one of none, minutely, hourly, daily, weekly, monthly, yearly, custom or one of the letters n i h d w m y c. Did you mean weekly?',
    ]);
    expect(await world.fieldsOf()).to.deep.equal(before);
  });

  const refused: Readonly<Record<string, readonly [kinds: Kinds, message: string | RegExp]>> = {
    'a kind that there is none of': [{ aps: [app] }, 'aps is no kind of the configuration. Did you mean apps?'],
    people: [{ users: [{ login: 'x' }] }, /^users is no kind of the configuration; there are topics, apps, /],
    'an id': [
      { apps: [{ ...app, id: 1 }] },
      'apps[0]: id is of one database only: give a code or a name in its place.',
    ],
    'no object': [{ apps: ['x' as never] }, 'apps[0]: an app must be an object of fields.'],
    'a field that there is none of': [
      { apps: [{ ...app, executble: 'x' }] },
      'apps[0]: App is invalid: executble is not a field of App. Did you mean executable?',
    ],
    'a name that no record has': [
      { runtemplates: [{ ...nightly, app_id: 'dmp' }] },
      'runtemplates[0]: RunTemplate is invalid: app_id: there is no app “dmp”. Did you mean dump?',
    ],
    'a record of another company': [
      {
        ...two,
        runtemplates: [{ ...nightly, company_id: 'beta', calendar_id: 'acme/cz' }],
        calendars: [{ company_id: 'acme', code: 'cz', name: 'CZ' }],
      },
      'runtemplates[0]: RunTemplate is invalid: calendar_id: there is no Calendar 1',
    ],
    'a record that stands there twice': [
      { apps: [app, { ...app, name: 'Other' }] },
      'apps[1]: it is the same app as that of apps[0].',
    ],
    'a new record that stands there twice': [
      {
        apps: [
          { ...app, code: 'new' },
          { ...app, code: 'new' },
        ],
      },
      'apps[1]: it is the same app as that of apps[0].',
    ],
    'a number in place of a name': [
      { runtemplates: [{ ...nightly, app_id: 1 }] },
      'runtemplates[0]: RunTemplate is invalid: app_id: 1 is an id; write “dump” if that is meant',
    ],
    'a number that is no id': [
      { runtemplates: [{ ...nightly, app_id: 7 }] },
      'runtemplates[0]: RunTemplate is invalid: app_id: there is no record with the id 7',
    ],
  };
  for (const [what, [kinds, message]] of Object.entries(refused))
    it(`refuses ${what}`, async () => {
      await world.apply(small);
      const said = await world.errorOf(kinds);
      if (typeof message === 'string') expect(said).to.equal(message);
      else expect(said).to.match(message);
    });

  it('refuses a name that another record has, with its place', async () => {
    const uuid = '6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63';
    await world.apply({ apps: [app, { ...app, code: 'other', uuid }] });
    expect(await world.errorOf({ apps: [{ ...app, uuid }] })).to.equal('apps[0]: Another App has the same code.');
  });
});
