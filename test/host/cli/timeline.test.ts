import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`timeline on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --executable true');
      const template = ['runtemplate:save', '--company-id=acme', '--app-id=hello', '--timezone=UTC'];
      await cli.run([...template, '--code=h', '--name=Hourly', '--interval=hourly']);
      await cli.run([...template, '--code=off', '--name=Off', '--interval=daily', '--active=false']);
    });
    after(() => cli[Symbol.dispose]());

    it('shows a row for each run template, with the windows to come', async () => {
      const { code, out, err } = await cli.command('timeline --utc --slots 30');
      expect([code, err]).to.deep.equal([0, '']);
      const lines = out.split('\n');
      expect(lines[0]).to.match(/^ {28}\d{4}-\d\d-\d\d \d\d:\d\d \d{4}-\d\d-\d\d \d\d:\d\d$/);
      expect(lines[1]).to.equal(`${' '.repeat(52)}v now`);
      expect(lines[2]).to.equal('Acme');
      // An hour that has just begun is open.
      expect(lines[3]).to.match(/^ {2}1 Hourly {17,}\S?\.{5,6}$/);
      expect(lines[4]).to.equal('  2 Off (inactive)');
      expect(out)
        .to.match(/^F failed, M missed, .*\n/m)
        .and.to.match(/\nTimes are in UTC\.\n$/);
    });

    it('says how to go on where there are more, and that nothing matches', async () => {
      const first = await cli.command('timeline --limit 1');
      expect(first.err).to.equal('There are more: horarium timeline --after 1\n');
      const second = await cli.command('timeline --limit 1 --after h --format json');
      expect(JSON.parse(second.out).templates.map(({ code }: { code: string }) => code)).to.deep.equal(['off']);
      expect((await cli.command('timeline --name nothing')).out).to.include('No run template matches.');
      expect((await cli.command('timeline --state failed')).out).to.include('No run template matches.');
    });
  });
