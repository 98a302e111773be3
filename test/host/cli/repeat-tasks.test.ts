import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const day = 86_400_000;
/** The date in Prague is this one or the day after. */
const date = (daysAgo: number) => new Date(Date.now() - daysAgo * day).toISOString().slice(0, 10);

for (const { database, openCli } of cliDatabases)
  describe(`backfill, task:waive and task:retry on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('company:save --code other --name Other');
      await cli.command('app:save --name hello --executable true');
      const template = ['--code=night', '--name=Night', '--company-id=acme', '--app-id=hello', '--interval=daily'];
      await cli.run(['runtemplate:save', ...template]);
    });
    after(() => cli[Symbol.dispose]());

    let first: number;
    const states = async () =>
      (await cli.command('task:list --order id --format json')).json.map(({ state }: { state: string }) => state);
    const jobs = async () => (await cli.command('job:list --format json')).json.length;

    it('list what a backfill would create, and then create it', async () => {
      const range = `--from ${date(4)} --to ${date(2)}`;
      const tried = await cli.command(`backfill night ${range} --dry-run`);
      expect([tried.code, tried.err]).to.deep.equal([
        0,
        '3 Tasks would be created. Nothing was changed: this was a dry run.\n',
      ]);
      expect(tried.out.split('\n')).to.have.length(5);
      expect(await states()).to.deep.equal([]);
      const { code, json, err } = await cli.command(`backfill night ${range} --format json`);
      expect(code).to.equal(0);
      expect(err).to.match(
        /^3 Tasks created\. The running service starts their jobs; task:list --runtemplate-id 1 --from \S+ --to \S+ shows how they end\.\n$/,
      );
      const [, list = ''] = /; (task:list .*) shows/.exec(err) ?? [];
      expect((await cli.command(`${list} --format json`)).json).to.have.length(3);
      expect(json.map((task: { backfilled: boolean }) => task.backfilled)).to.deep.equal([true, true, true]);
      first = json[0].id;
      const again = await cli.command(`backfill night --from ${date(4)} --to ${date(2)}`);
      expect(again.err).to.equal(
        'Warning: 3 windows of the range are left out, because a Task is there already or is owed: repeat those that should run again.\n0 Tasks created.\n',
      );
    });

    it('waive Tasks, or none of them', async () => {
      const wrong = await cli.run(['task:waive', `${first}`, '99', '--reason=closed']);
      expect([wrong.code, wrong.err]).to.deep.equal([1, 'There is no Task 99.\n']);
      expect(await states()).to.deep.equal(['open', 'open', 'open']);
      const { code, out } = await cli.run([
        'task:waive',
        `${first}`,
        `${first + 1}`,
        `${first}`,
        '--reason=closed today',
      ]);
      expect(code).to.equal(0);
      expect(out).to.match(/^\d .* cancelled +waived by tester on bench: closed today$/m);
      expect(await states()).to.deep.equal(['cancelled', 'cancelled', 'open']);
      const again = await cli.run(['task:waive', `${first}`, '--reason=closed']);
      expect(again.err).to.equal(`Task ${first} has already ended: it was cancelled.\n`);
    });

    it('repeat Tasks by their ids, and say why one cannot be', async () => {
      const before = await jobs();
      const { code, out, err } = await cli.command(`task:retry ${first} --env OTHER=1`);
      expect([code, err]).to.deep.equal([1, '0 Tasks are repeated; 1 Task cannot be, and the list says why.\n']);
      expect(out).to.include('OTHER');
      const done = await cli.command(`task:retry ${first}`);
      expect([done.code, done.err]).to.deep.equal([
        0,
        '1 Task is repeated. job:output JOB --follow shows how it goes.\n',
      ]);
      expect(await jobs()).to.equal(before + 1);
      const twice = await cli.command(`task:retry ${first} --format json`);
      expect(twice.code).to.equal(1);
      expect(twice.out).to.match(/"problem": "Task \d is being repeated: its job \d+ is scheduled\."/);
    });

    it('repeat Tasks by a filter, or list them in a dry run', async () => {
      const before = await jobs();
      const filter = `--template night --company acme --state cancelled --from ${date(9)} --to ${date(1)}`;
      const tried = await cli.command(`task:retry ${filter} --dry-run --format json`);
      expect(tried.err).to.equal(
        '1 Task would be repeated; 1 Task cannot be, and the list says why. Nothing was scheduled: this was a dry run.\n',
      );
      const rows = JSON.parse(tried.out) as { task: number; problem: string | null; window_start: string }[];
      expect(rows.map(({ task, problem }) => [task, problem === null])).to.deep.equal([
        [first, false],
        [first + 1, true],
      ]);
      expect(await jobs()).to.equal(before);
      expect((await cli.command('task:retry --template night')).out).to.equal('(none)\n');
      expect((await cli.command('task:retry --company other --state cancelled')).out).to.equal('(none)\n');
      const done = await cli.command(`task:retry ${filter}`);
      expect(done.code).to.equal(1);
      expect(done.out).to.match(/^\d .* cancelled +\d+$/m);
      expect(await jobs()).to.equal(before + 1);
      expect(await states()).to.deep.equal(['cancelled', 'cancelled', 'open']);
    });

    it('select nothing by an empty option, such as that of a shell variable which is not set', async () => {
      for (const option of ['--template=', '--company=', '--state=', '--from=', '--to=']) {
        const { code, out, err } = await cli.run(['task:retry', option]);
        expect([code, out], option).to.deep.equal([1, '']);
        expect(err, option).to.match(/There is no|--state must name|must be a time/);
      }
      const { code, out } = await cli.run(['task:retry', `${first + 2}`, '--at=']);
      expect([code, out.includes('scheduled_at')]).to.deep.equal([1, true]);
      expect((await cli.run(['backfill', 'night', '--from='])).err).to.match(/from/);
    });

    it('repeat an open Task at once, and leave it open', async () => {
      const { code } = await cli.command(`task:retry ${first + 2} --at 2099-01-01T00:00:00Z`);
      expect(code).to.equal(0);
      expect(await states()).to.deep.equal(['cancelled', 'cancelled', 'open']);
    });
  });
