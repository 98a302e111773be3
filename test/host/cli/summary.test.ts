import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`summary on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
    });
    after(() => cli[Symbol.dispose]());

    it('exits with 0 if nothing is wrong', async () => {
      const { code, out, err } = await cli.command('summary');
      expect([code, out, err]).to.deep.equal([0, 'today nothing was owed; 0 running\n', '']);
      const nagios = await cli.command('summary --format nagios');
      expect(nagios.code).to.equal(0);
      expect(nagios.out).to.equal(
        'OK - today nothing was owed; 0 running | owed=0 on_time=0 late=0 failed=0 missed=0 overdue=0 will_be_late=0 will_not_run=0 paused=0 running=0\n',
      );
    });

    it('exits with 1 if something is wrong, and says what and why', async () => {
      await cli.command('company:save --code acme --name Acme');
      await cli.command('company:save --code other --name Other');
      await cli.command('app:save --name hello --executable true');
      await cli.run([
        'runtemplate:save',
        '--code=n',
        '--name=Night',
        '--company-id=acme',
        '--app-id=hello',
        '--interval=daily',
      ]);
      const { code, out, err } = await cli.command('summary');
      expect([code, err]).to.deep.equal([1, '']);
      expect(out).to.match(/^today nothing was owed; 1 will not run; 0 running; next .* Night \(Acme\)\n\nproblem /);
      expect(out).to.match(/^will not run .* no worker runs: start the service \(horarium serve\)$/m);
      const json = await cli.command('summary --company acme --format json');
      expect(json.code).to.equal(1);
      const { next, ...found } = JSON.parse(json.out);
      expect(found).to.include({ ok: false, will_not_run: 1 });
      expect(next).to.include({ name: 'Night', company: 'Acme' });
      expect((await cli.command('summary --company other')).code).to.equal(0);
    });

    it('is shown again and again with --watch, without control sequences where no terminal shows it', async () => {
      const watching = new SpawnedProgram(['summary', '--watch'], cli);
      await watching.waitForOutput(/^today .*^today /ms);
      watching.process.kill('SIGINT');
      await watching.ended;
      expect(watching.err).to.equal('');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect(watching.out).not.to.match(/\u001b/);
    });

    it('answers Nagios with CRITICAL, or with UNKNOWN where it cannot tell', async () => {
      const critical = await cli.command('summary --format nagios');
      expect(critical.code).to.equal(2);
      expect(critical.out).to.match(
        /^CRITICAL - today .*; no worker runs: start the service \(horarium serve\) \| owed=0 /,
      );
      const unknown = await cli.command('summary --format nagios --company nobody');
      expect([unknown.code, unknown.err]).to.deep.equal([3, '']);
      expect(unknown.out).to.match(/^UNKNOWN - There is no company .*nobody.*\n$/);
      const down = await cli.command('summary --format nagios --database-url sqlite:/nowhere/h.sqlite');
      expect([down.code, down.out.startsWith('UNKNOWN - There is no file /nowhere/h.sqlite')]).to.deep.equal([3, true]);
    });
  });
