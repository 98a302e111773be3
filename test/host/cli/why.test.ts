import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`why and undo on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --code hello --executable true');
      await cli.run([
        'runtemplate:save',
        '--code=night',
        '--name=Night',
        '--company-id=acme',
        '--app-id=hello',
        '--interval=daily',
      ]);
    });
    after(() => cli[Symbol.dispose]());

    async function ok(line: string): Promise<string> {
      const { code, out, err } = await cli.command(line);
      expect(code, err).to.equal(0);
      return out;
    }

    async function newestEntry(entityType: string): Promise<number> {
      return JSON.parse(await ok(`auditlog:list --entity-type ${entityType} --limit 1 --format json`))[0].id;
    }

    it('tells why a template does not run, by its code, its name or its id', async () => {
      const out = await ok('why night');
      expect(out).to.match(
        /^Night \(Acme\) does not run: no worker runs: start the service \(horarium serve\)\n\nmet /,
      );
      expect(out).to.match(/^yes {2}company enabled {2}the company Acme is enabled$/m);
      expect(out).to.match(/^NO {3}worker {11}no worker runs/m);
      expect(await ok('why Night')).to.equal(out);
      expect(await ok('why 1')).to.equal(out);
      expect(await ok('why runtemplate night')).to.equal(out);
    });

    it('is told of due jobs beside a table of them', async () => {
      const { id } = JSON.parse(await ok('runtemplate:run night --format json'));
      const pause = JSON.parse(await ok('pause --for 2h --template night --reason lunch --format json'));
      expect((await cli.command('job:list')).err).to.match(new RegExp(`^job ${id} waits: .*lunch`, 'm'));
      expect((await cli.command('job:list --format json')).err).to.equal('');
      await ok(`resume ${pause.id}`);
      await ok(`job:cancel ${id}`);
      expect((await cli.command('job:list')).err).to.equal('');
    });

    it('tells of a Task and a job, as JSON too', async () => {
      const { job } = { job: JSON.parse(await ok('runtemplate:run night --format json')).id as number };
      expect(await ok(`why job ${job}`)).to.match(/^job \d+ of Night \(Acme\) waits: /);
      const shown = JSON.parse(await ok(`why job ${job} --format json`));
      expect(shown).to.include({ kind: 'Job', id: job, runtemplate_id: 1, since_success: null });
      expect(shown.time).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(shown.conditions[0]).to.deep.equal({
        name: 'active',
        met: true,
        text: 'the run template is active',
        auditlog_id: null,
      });
    });

    it('names who switched something off, and undo switches it on again', async () => {
      await ok('company:save --id acme --enabled false');
      const entry = await newestEntry('Company');
      const out = await ok('why night');
      expect(out).to.include(`does not run: the company Acme is disabled, by `);
      expect(out).to.include(`(cli, entry ${entry})`);
      const tried = await cli.command(`undo ${entry} --dry-run`);
      expect(tried.err).to.include('Warning: would update Company 1 (enabled)');
      expect(tried.out).to.match(/^enabled +false +true$/m);
      expect(await ok('why night')).to.include('is disabled');
      const { out: undone, err } = await cli.command(`undo ${entry}`);
      expect(undone).to.match(/^enabled +false +true$/m);
      expect(err).to.equal(`Entry ${entry} is undone: Company 1 has its former values again.\n`);
      expect(await ok('why night')).to.include('the company Acme is enabled');
    });

    it('refuses to undo what was changed again since', async () => {
      await ok('runtemplate:save --id night --deadline 08:00');
      const first = await newestEntry('RunTemplate');
      await ok('runtemplate:save --id night --deadline 09:00');
      const { code, err } = await cli.command(`undo ${first}`);
      expect(code).to.equal(1);
      expect(err).to.match(/cannot be undone: .* has changed deadline since \(entry \d+\)\. Undo that one first\.\n$/);
    });

    it('shows what was saved since the last success, member by member', async () => {
      await ok('app:save --id hello --environment {"DATABASE":{"type":"text"},"USER":{"type":"text"}}');
      await ok(
        'runtemplate:save --id night --interval none --executor external --environment {"DATABASE":"shop","USER":"me"}',
      );
      for (const exitCode of [0, 1]) {
        const { id } = JSON.parse(await ok('runtemplate:run night --format json'));
        await ok(`job:claim ${id}`);
        await ok(`job:report ${id} --exit-code ${exitCode}`);
        if (exitCode === 0)
          await ok('runtemplate:save --id night --environment {"DATABASE":"shpo","USER":"me"} --note moved');
      }
      const out = await ok('why night');
      expect(out).to.match(/; its last job, \d+, failed at .*: /);
      expect(out).to.match(/^The last success before that run was job \d+\. Saved since it began at .*:$/m);
      expect(out).to.match(/^\d+ +.* RunTemplate 1 Night +environment\.DATABASE +shop +shpo$/m);
      expect(out).to.match(/^\d+ +.* RunTemplate 1 Night +note +moved$/m);
      expect(out).not.to.include('environment.USER');
      expect(out).to.match(/^Other differences:\nwhat .*\nenvironment\.DATABASE +shop +shpo$/m);
      expect(out).to.match(/\nhorarium undo ENTRY saves /);
    });

    it('says from when on changes are listed where no success is known', async () => {
      await ok(
        'runtemplate:save --name First --code first --company-id acme --app-id hello --interval none --executor external',
      );
      const { id } = JSON.parse(await ok('runtemplate:run first --format json'));
      await ok(`job:claim ${id}`);
      await ok(`job:report ${id} --exit-code 1`);
      expect(await ok(`why job ${id}`)).to.match(
        /^No success before that run is known\. Nothing was saved since the template was created at 2\S+ \S+\.$/m,
      );
    });
  });
