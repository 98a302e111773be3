import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`job:change on ${database}`, () => {
    let cli: TestCli;
    let job: number;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.run(['app:save', '--name=a', '--executable=true', '--environment={"ONE": {}, "TWO": {}}']);
      await cli.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval none');
      const run = 'runtemplate:run t --at 2099-01-01T00:00:00Z --env ONE=1 --format json';
      job = (await cli.command(run)).json.id;
    });
    after(() => cli[Symbol.dispose]());

    const stored = async () => (await cli.command(`job:get ${job} --format json`)).json;

    it('changes when a pending job is due, and leaves the rest', async () => {
      const { code, out, err } = await cli.run(['job:change', String(job), '--at', '2099-01-02 01:00:00+01:00']);
      expect([code, err]).to.deep.equal([0, `Job ${job} is changed.\n`]);
      expect(out).to.match(/^scheduled_at +2099-01-02 01:00:00\+01:00$/m);
      expect(await stored()).to.deep.include({
        scheduled_at: '2099-01-02T00:00:00.000Z',
        environment: { ONE: '1' },
        executor: 'native',
      });
    });

    it('sets the values for this job alone in place of those that it has', async () => {
      await cli.command(`job:change ${job} --env TWO=2 --executor external`);
      expect(await stored()).to.deep.include({
        scheduled_at: '2099-01-02T00:00:00.000Z',
        environment: { TWO: '2' },
        executor: 'external',
      });
    });

    it('makes a job due at once', async () => {
      await cli.command(`job:change ${job} --at now`);
      expect(Date.parse((await stored()).scheduled_at)).to.be.at.most(Date.now() + 60_000);
    });
  });
