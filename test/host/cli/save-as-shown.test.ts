import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';
import { createDatabase } from '../../support/store/test-postgres.ts';

for (const database of ['SQLite', 'PostgreSQL']) describeSave(database, database === 'PostgreSQL');

function describeSave(database: string, isShared: boolean): void {
  describe(`save --json on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = new TestCli(isShared ? await createDatabase() : undefined);
      await cli.command('migrate');
    });
    after(() => cli[Symbol.dispose]());

    it('takes a record as it was shown, and names in place of ids', async () => {
      const saveJson = (command: string, input: object) =>
        cli.command(`${command} --json - --format json`, { input: JSON.stringify(input) });
      await cli.command('company:save --code shown --name Shown');
      await cli.command('app:save --name shown --executable true');
      const named = { name: 'shown', company_id: 'shown', app_id: 'shown', interval: 'none' };
      const made = await saveJson('runtemplate:save', named);
      expect(made.code, made.err).to.equal(0);
      const shown = (await cli.command(`runtemplate:get ${made.json.id} --format json`)).json;
      expect(shown).to.include({ successful_jobs_count: 0 });
      const saved = await saveJson('runtemplate:save', shown);
      expect(saved.err).to.equal(`RunTemplate ${made.json.id} is saved.\n`);
      expect((await saveJson('runtemplate:save', { ...named, app_id: 'hidden' })).err).to.match(
        /^There is no app with the .*“hidden”/,
      );
    });
  });
}
