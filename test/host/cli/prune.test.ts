import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const day = 86_400_000;
const date = (daysAgo: number) => new Date(Date.now() - daysAgo * day).toISOString().slice(0, 10);

for (const { database, openCli } of cliDatabases)
  describe(`prune on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --executable true');
      await cli.command('runtemplate:save --code night --name Night --company-id acme --app-id hello --interval daily');
      await cli.command(`backfill night --from ${date(60)} --to ${date(1)}`);
      const tasks = (await cli.command('task:list --limit 100 --format json')).json.map(({ id }: { id: number }) => id);
      await cli.run(['task:waive', ...tasks.map(String), '--reason=for the test']);
    });
    after(() => cli[Symbol.dispose]());

    const counts = { tasks: 0, jobs: 0, artifacts: 0, outputs: 0, events: 0, deliveries: 0 };

    it('deletes nothing by default, and says what it would delete', async () => {
      expect((await cli.command('prune --format json')).json).to.deep.equal(counts);
      await cli.command('runtemplate:save --code night --company-id acme --keep-last 20');
      const { code, json, err } = await cli.command('prune --dry-run --format json');
      expect([code, err]).to.deep.equal([
        0,
        'By the settings, Tasks and jobs are kept for ever, output and artifacts for 90 days, and at most 10000000 rows of a company.\nThe run template Night keeps its newest 20.\nNothing was deleted: this was a dry run.\n',
      ]);
      expect(json).to.deep.equal({ ...counts, tasks: 40, jobs: 40 });
    });

    it('deletes what is kept no longer, and the audit log tells of each', async () => {
      const { code, json, err } = await cli.command('prune --format json', { terminal: true });
      expect([code, json]).to.deep.equal([0, { ...counts, tasks: 40, jobs: 40 }]);
      expect(err).to.match(/\r.\[K80 rows deleted, 40 of the 40 Tasks found\r.\[K/);
      expect((await cli.command('task:list --limit 100 --format json')).json).to.have.length(20);
      const { json: entries } = await cli.command('auditlog:list --entity-type Task --entity-id 1 --format json');
      expect(entries[0]).to.deep.include({ action: 'delete', actor: 'retention', channel: 'system', entity_id: 1 });
      expect((await cli.command('audit:verify')).code).to.equal(0);
    });

    it('names the companies and the run templates that keep something else, the first of each', async () => {
      await cli.command('company:save --code beta --name Beta --keep-days 30 --keep-files-days 7');
      for (let number = 1; number <= 11; number += 1)
        await cli.command(
          `runtemplate:save --name t${number} --company-id beta --app-id hello --interval daily --keep-days 36500`,
        );
      const { err } = await cli.command('prune --dry-run');
      const lines = err.split('\n').slice(1, -2);
      expect(lines.slice(0, 3)).to.deep.equal([
        'The company Beta keeps Tasks and jobs for 30 days, output and artifacts for 7 days.',
        'The run template Night keeps its newest 20.',
        'The run template t1 keeps Tasks and jobs for ever.',
      ]);
      expect(lines).to.have.length(12);
      expect(lines.at(-1)).to.equal('There are further run templates that decide for themselves.');
    });

    it('is for admins, as are the fields that say what is kept', async () => {
      const input = JSON.stringify({ login: 'mary', password: 'correct horse battery', email: 'mary@example.com' });
      await cli.command('user:save --json -', { input });
      await cli.command('companyuser:save --company-id acme --login mary --role admin');
      const denied = await cli.command('prune --as mary');
      expect(denied.code).to.equal(1);
      expect(denied.err).to.contain('mary may not delete what is kept no longer: that takes the role admin.\n');
      const template = await cli.command('runtemplate:save --as mary --code night --company-id acme --keep-days 1');
      expect(template.err).to.equal('mary may not set keep_days of run template Night: that takes the role admin.\n');
      const company = await cli.command('company:save --as mary --id 1 --keep-files-days 1');
      expect(company.err).to.match(/may not change keep_files_days of company 1: that takes the role admin/);
      const other = await cli.command('runtemplate:save --as mary --code night --company-id acme --name Nightly');
      expect([other.code, other.err]).to.deep.equal([0, 'RunTemplate 1 is saved.\n']);
    });
  });
