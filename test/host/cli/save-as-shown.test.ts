import { expect } from 'chai';
import { standardModel } from '../../../host/model.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`save --json on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
    });
    after(() => cli[Symbol.dispose]());

    const saveJson = (name: string, input: object) =>
      cli.command(`${name}:save --json - --format json`, { input: JSON.stringify(input) });

    /** A record of each kind that can be saved, with names in place of the ids of others. */
    const records = {
      company: { code: 'shown', name: 'Shown' },
      topic: { name: 'shown' },
      app: { code: 'shown', name: 'Shown', executable: 'true', topics: ['shown'] },
      credential_type: { code: 'shown', name: 'Shown', fields: [{ keyword: 'KEY', type: 'password' }] },
      credential: { name: 'shown', company_id: 'shown', credential_type_id: 'shown', values: { KEY: 'a long secret' } },
      calendar: { code: 'shown', name: 'Shown', company_id: 'shown', weekdays: ['sunday'] },
      runtemplate: {
        name: 'shown',
        company_id: 'shown',
        app_id: 'Shown',
        interval: 'none',
        credentials: ['shown'],
        calendar_id: 'shown',
      },
      maintenancewindow: { code: 'shown', name: 'Shown', runtemplate_id: 'shown', calendar_id: 'shown' },
      pause: { runtemplate_id: 'shown', until: '2099-01-01T00:00:00Z', reason: 'shown' },
      user: { login: 'shown', email: 'shown@example.com' },
      companyuser: { company_id: 'shown', user_id: 'shown', role: 'viewer' },
      userrole: { user_id: 'shown', role: 'viewer' },
      eventsource: {
        name: 'shown',
        kind: 'webhook',
        options: { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
      },
      eventrule: { name: 'shown', event_source_id: 'shown', runtemplate_id: 'shown' },
    };

    for (const [name, record] of Object.entries(records))
      it(`takes names in place of ids, and a ${name} as it was shown`, async () => {
        const made = await saveJson(name, record);
        expect(made.code, made.err).to.equal(0);
        const shown = (await cli.command(`${name}:get ${made.json.id} --format json`)).json;
        const saved = await saveJson(name, shown);
        expect(saved.err).to.match(/^(?:Warning: .*\n)*\w+ \d+ is saved\.\n$/);
        expect({ ...saved.json, updated_at: shown.updated_at }).to.deep.equal(shown);
      });

    it('has such a record of every kind that can be saved', () => {
      const savable = standardModel.resources.filter(({ operations }) => operations.includes('save'));
      expect(savable.map(({ names }) => names.singular)).to.have.members(Object.keys(records));
    });

    it('says how an object is saved where one member of it is set', async () => {
      expect(await cli.command('runtemplate:save --id shown --set environment.SHOP_DB=x')).to.include({
        code: 1,
        err: "environment.SHOP_DB is a member of environment, which is saved as a whole: --set 'environment=JSON'. runtemplate:get --format json shows what it is now.\n",
      });
      const wrong = await cli.command('runtemplate:save --id shown --set name.SHOP_DB=x');
      expect(wrong.err).to.match(/name\.SHOP_DB is not a field/);
    });

    it('names what a name does not find, and what is none', async () => {
      const errorOf = async (fields: object) =>
        (await saveJson('runtemplate', { ...records.runtemplate, ...fields })).err;
      expect(await errorOf({ app_id: 'Hidden' })).to.match(/^There is no app with the .*“Hidden”/);
      expect(await errorOf({ app_id: 'a\u0000b' })).to.match(/^There is no app with the /);
      expect(await errorOf({ app_id: ['Shown'], company_id: { code: 'shown' } })).to.equal(
        'RunTemplate is invalid: company_id must be a number; app_id must be a number\n',
      );
      expect(await errorOf({ credentials: 'shown' })).to.equal('RunTemplate is invalid: credentials must be a list\n');
    });
  });
