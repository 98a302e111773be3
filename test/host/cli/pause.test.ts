import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`pause and resume on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('company:save --code other --name Other');
      await cli.command('app:save --name hello --executable true');
      const template = ['--code=night', '--name=Night', '--company-id=acme', '--app-id=hello', '--interval=none'];
      await cli.run(['runtemplate:save', ...template]);
    });
    after(() => cli[Symbol.dispose]());

    const whatHolds = async () => (await cli.command('runtemplate:get night --format json')).json.pause_id;

    it('hold a run template, which summary, why and the run template say, until it is resumed', async () => {
      const paused = await cli.run(['pause', '--for=2h', '--template=night', '--reason=new disk']);
      expect([paused.code, paused.err]).to.deep.equal([0, paused.err]);
      expect(paused.err).to.match(/^Pause 1 holds new jobs until \d{4}-.*; horarium resume 1 ends it\.\n$/);
      expect(await whatHolds()).to.equal(1);
      const summary = await cli.command('summary');
      expect(summary.out)
        .to.match(/Night \(Acme\) is paused until /)
        .and.match(/^1 +1 Night +Acme +\d{4}-.* +new disk$/m);
      expect((await cli.command('why night')).out).to.match(/^NO +paused +paused by .* until .*: new disk$/m);
      const run = await cli.command('runtemplate:run night');
      expect([run.code, run.out]).to.deep.equal([1, '']);
      expect(run.err).to.match(/^RunTemplate 1 is paused by .* until .*: new disk \(Pause 1\)\.\n$/);
      const resumed = await cli.command('resume --template night');
      expect([resumed.code, resumed.err]).to.deep.equal([0, 'Pause 1 is over.\n']);
      expect(await whatHolds()).to.equal(null);
      expect((await cli.command('runtemplate:run night')).code).to.equal(0);
    });

    it('hold a company or all, and name the wider pause that still holds what is resumed', async () => {
      await cli.run(['pause', '--until=resumed', '--company=acme', '--reason=lunch']);
      await cli.run(['pause', '--until=2099-01-01', '--all', '--reason=move', '--catch-up=latest']);
      const list = (await cli.command('pause:list --format json')).json;
      expect(
        list.slice(0, 2).map((row: Record<string, unknown>) => [row['company_id'], row['until'], row['catch_up']]),
      ).to.deep.equal([
        [null, list[0].until, 'latest'],
        [1, null, 'none'],
      ]);
      expect((await cli.command('summary')).out).to.match(/2 pauses are in force/);
      const wrong = await cli.command('resume --template night');
      expect(wrong.err).to.match(/^No pause of just that is in force\. Pause \d of .* holds it, paused by .*\.\n$/);
      expect((await cli.command('resume --company acme')).err).to.equal('Pause 2 is over.\n');
      expect((await cli.command('resume 3')).err).to.equal('Pause 3 is over.\n');
      expect(await whatHolds()).to.equal(null);
    });

    it('are made of maintenance windows, which simulate names where they lie ahead', async () => {
      const template = [
        '--code=minutes',
        '--name=Minutes',
        '--company-id=other',
        '--app-id=hello',
        '--interval=hourly',
      ];
      expect((await cli.run(['runtemplate:save', ...template, '--timezone=UTC'])).code).to.equal(0);
      await cli.run(['calendar:save', '--code=all', '--name=All', '--dates=[{"date":"2026-01-01","to":"2050-01-01"}]']);
      const times = ['--start-time=00:00', '--end-time=12:00', '--timezone=UTC', '--company-id=other'];
      const saved = await cli.run([
        'maintenancewindow:save',
        '--name=Night',
        '--calendar-id=all',
        ...times,
        '--format',
        'json',
      ]);
      expect([saved.code, saved.json.problem]).to.deep.equal([0, null]);
      const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
      const { json } = await cli.run([
        'simulate',
        `--from=${day(2)}T11:00:00Z`,
        `--to=${day(2)}T13:00:00Z`,
        '--format',
        'json',
      ]);
      const held = json.map((run: Record<string, unknown>) => [run['pause_id'], run['maintenance_window_id']]);
      expect(held).to.deep.equal([
        [null, 1],
        [null, null],
      ]);
      const table = await cli.run(['simulate', `--from=${day(2)}T11:00:00Z`, `--to=${day(2)}T12:00:00Z`]);
      expect(table.out).to.match(/Minutes \(held by MaintenanceWindow 1\)\n$/);
    });

    it('begin later, at a local time', async () => {
      const { json, err } = await cli.run([
        'pause',
        '--from=2098-01-01 12:00',
        '--for=90m',
        '--all',
        '--reason=maintenance',
        '--format',
        'json',
      ]);
      expect(err).to.match(
        /^Pause 4 holds new jobs from 2098-01-01 12:00:00\+01:00 until 2098-01-01 13:30:00\+01:00; /,
      );
      expect(Date.parse(json.until) - Date.parse(json.starts_at)).to.equal(90 * 60_000);
      expect(await whatHolds()).to.equal(null);
      const early = await cli.command('resume 4');
      expect(early.err).to.equal('Pause 4 has not begun: it can be deleted, not ended.\n');
      expect((await cli.command('pause:delete 4')).code).to.equal(0);
    });

    it('take a run template by its name alone, as why does', async () => {
      const paused = await cli.run(['pause', '--for=2h', '--template=night', '--reason=new disk']);
      const id = /^Pause (\d+) holds/.exec(paused.err)?.[1];
      expect(await cli.command('resume Night')).to.include({ code: 0, err: `Pause ${id} is over.\n` });
    });
  });
