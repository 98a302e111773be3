import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { userNamed } from '../../../plugins/process/users/users.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { RootFolder } from '../../support/program/root-folder.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const php = '/etc/cron.d/php';

for (const { database, openCli } of cliDatabases)
  describe(`cron:adopt and the users of jobs on ${database}`, () => {
    let cli: TestCli;
    let root: RootFolder;
    beforeEach(async () => {
      cli = await openCli();
      root = new RootFolder(cli.folder);
      await cli.command('company:save --code acme --name Acme');
      root.write('/etc/crontab', '17 * * * * root cd / && run-parts --report /etc/cron.hourly\n');
      root.write(php, '09,39 * * * * root /usr/lib/php/sessionclean\n');
    });
    afterEach(() => cli[Symbol.dispose]());

    it('takes over nothing that the users of native jobs leave out, and says whom to add; so do doctor and why', async () => {
      root.write('/etc/cron.d/php', '09,39 * * * * nobody /usr/lib/php/sessionclean\n');
      const options = (users: readonly string[]) => ({
        environment: { HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'executor-native': { users } }) },
      });
      const command = (line: string, users: readonly string[]) => cli.command(line, options(users));
      const line = `cron:adopt --company acme --root ${cli.folder}`;
      const refusal =
        'nobody must be in the option users of executor-native, and the service restarted then (horarium help native)';
      const refused = await command(line, ['root']);
      expect([refused.code, refused.err]).to.deep.equal([
        1,
        `Jobs of these lines cannot start: ${refusal}.\nNothing was changed.\n`,
      ]);
      expect(existsSync(root.place(php))).to.equal(true);
      const dry = await command(`${line} --dry-run`, ['root']);
      expect([dry.code, dry.err.split('\n')[0]]).to.deep.equal([0, `Jobs of these lines cannot start: ${refusal}.`]);
      const synced = await command(`crontab:sync ${root.place(php)} --company acme`, ['root']);
      expect([synced.code, synced.err.split('\n')[0]]).to.deep.equal([
        0,
        `Jobs of these lines cannot start: ${refusal}.`,
      ]);
      expect((await command('why php-sessionclean', ['root'])).out).to.include(`its jobs cannot start: ${refusal}`);
      expect((await command('doctor', ['root'])).out).to.match(
        /\d+ .*sessionclean.* \(Acme\): nobody must be in the option/,
      );
      expect((await command(line, ['root', 'nobody'])).code).to.equal(0);
      expect((await command('doctor', ['root', 'nobody'])).out).not.to.include('must be in the option');
    });

    it('judges users by the setting run_as, not by the user of the command; so do doctor and why', async function () {
      if (!userNamed('daemon')) return this.skip();
      const environment = {
        HORARIUM_RUN_AS: 'daemon',
        HORARIUM_PLUGIN_OPTIONS: '{"executor-native":{"users":[]}}',
      };
      const refusal =
        'root must be in the option users of executor-native, and the service restarted then (horarium help native)';
      const refused = await cli.command(`cron:adopt --company acme --root ${cli.folder}`, { environment });
      expect([refused.code, refused.err]).to.deep.equal([
        1,
        `Jobs of these lines cannot start: ${refusal}.\nNothing was changed.\n`,
      ]);
      expect(existsSync(root.place(php))).to.equal(true);
      root.write('/srv/cron', '0 3 * * * root /bin/by-root\n0 4 * * * daemon /bin/by-daemon\n');
      await cli.command(`crontab:sync ${root.place('/srv/cron')} --system --company acme`);
      const why = async (code: string) => (await cli.command(`why ${code}`, { environment })).out;
      expect(await why('cron-by-root')).to.include(`its jobs cannot start: ${refusal}`);
      expect(await why('cron-by-daemon')).not.to.include('cannot start');
      const { out } = await cli.command('doctor', { environment });
      expect(out.match(/\S+ must be in the option/g)).to.deep.equal(['root must be in the option']);
    });

    it('judges users by the run_as of the company, and says so once', async () => {
      const environment = {
        HORARIUM_JOB_USERS: 'games,news',
        HORARIUM_PLUGIN_OPTIONS: '{"executor-native":{"users":["daemon"]}}',
      };
      const command = (line: string) => cli.command(line, { environment });
      await command('company:save --code club --name Club --run-as games');
      root.write('/etc/crontab', '');
      root.write(php, '0 3 * * * games /bin/play\n0 4 * * * daemon /bin/other\n0 5 * * * news /bin/read\n');
      const line = `cron:adopt --company club --root ${cli.folder}`;
      const refusal = 'Jobs of these lines cannot start: daemon, news must be games, the run_as of the company.';
      const refused = await command(line);
      expect([refused.code, refused.err]).to.deep.equal([1, `${refusal}\nNothing was changed.\n`]);
      expect(existsSync(root.place(php))).to.equal(true);
      for (const dry of [`${line} --dry-run`, `crontab:sync ${root.place(php)} --company club --dry-run`]) {
        const { code, err } = await command(dry);
        expect([code, err.split('\n').filter((note) => note.includes('games'))]).to.deep.equal([0, [refusal]]);
      }
      root.write(php, '0 3 * * * games /bin/play\n');
      expect((await command(line)).code).to.equal(0);
      expect(existsSync(root.place(php))).to.equal(false);
    });
  });
