import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { renameFiles } from '../../../plugins/import-crontab/adopt/rename-files.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { RootFolder } from '../../support/program/root-folder.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const php = '/etc/cron.d/php';
const adoptedPhp = '/etc/cron.d/.php.adopted';

for (const { database, openCli } of cliDatabases)
  describe(`cron:adopt on ${database}`, () => {
    let cli: TestCli;
    beforeEach(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      write('/etc/crontab', 'SHELL=/bin/sh\n17 * * * * root cd / && run-parts --report /etc/cron.hourly\n');
      write(php, '09,39 * * * * root /usr/lib/php/sessionclean\n');
      write('/etc/cron.d/.placeholder', 'not read\n');
      write('/etc/cron.d/php.dpkg-old', 'not read\n');
      write('/etc/cron.d/explained', '# Runs nothing.\n');
      write('/etc/cron.d/mailed', 'MAILTO=root\n');
      write('/etc/passwd', 'not read\n');
      write('/var/spool/cron/crontabs/jana.smith', '0 3 * * * ./backup\n@reboot ./up\n');
      write('/var/spool/cron/crontabs/tmp.Ax3', 'not read\n');
    });
    afterEach(() => cli[Symbol.dispose]());

    const place = (path: string) => new RootFolder(cli.folder).place(path);
    const write = (path: string, text: string) => new RootFolder(cli.folder).write(path, text);
    const adopt = async (more = '') => {
      const line = `cron:adopt --company acme --root ${cli.folder} --format json ${more}`.trim();
      const { code, out, err } = await cli.command(line);
      const rows: Readonly<Record<string, unknown>>[] = code === 0 ? JSON.parse(out) : [];
      return { code, rows, notes: err.split('\n').slice(0, -1) };
    };
    const results = (rows: readonly Readonly<Record<string, unknown>>[]) =>
      rows.map(({ result, file, user, runtemplate }) => [result, file, user, runtemplate]);
    const active = async () => {
      const { json } = await cli.command('runtemplate:list --limit 100 --format json');
      return json
        .filter((row: { active: boolean }) => row.active)
        .map(({ code }: { code: string }) => code)
        .sort();
    };
    const zones = async (): Promise<Record<string, string>> => {
      const { json } = await cli.command('runtemplate:list --limit 100 --format json');
      return Object.fromEntries(json.map(({ code, timezone }: Record<string, string>) => [code, timezone]));
    };
    const all = ['crontab-run-parts', 'jana-smith-backup', 'jana-smith-up', 'php-sessionclean'];

    it('shows in a dry run what would change and be renamed, and changes nothing', async () => {
      const { rows, notes } = await adopt('--dry-run');
      expect(results(rows)).to.deep.equal([
        ['added', '/etc/crontab', 'root', 'crontab-run-parts'],
        ['added', php, 'root', 'php-sessionclean'],
        ['added', '/var/spool/cron/crontabs/jana.smith', 'jana.smith', 'jana-smith-backup'],
        ['added', '/var/spool/cron/crontabs/jana.smith', 'jana.smith', 'jana-smith-up'],
      ]);
      expect(notes).to.include(`${place(php)} would be renamed to ${place(adoptedPhp)}.`);
      expect(existsSync(place(php))).to.equal(true);
      expect(await active()).to.deep.equal([]);
    });

    it('takes all crontabs over, and renames those that run something', async () => {
      const { rows, notes } = await adopt();
      expect(rows).to.have.length(4);
      expect(notes).to.include(`${place(php)} is renamed to ${place(adoptedPhp)}.`);
      expect(notes.at(-1)).to.match(/^cron runs them no more\./);
      for (const path of ['/etc/crontab', php, '/var/spool/cron/crontabs/jana.smith'])
        expect(existsSync(place(path)), path).to.equal(false);
      for (const path of ['/etc/passwd', '/etc/cron.d/explained', '/etc/cron.d/mailed', '/etc/cron.d/.placeholder'])
        expect(existsSync(place(path)), path).to.equal(true);
      expect(await active()).to.deep.equal(all);
      const { json } = await cli.command('runtemplate:get jana-smith-backup --format json');
      expect(json).to.deep.include({
        executor_options: { user: 'jana.smith', directory: '~' },
        crontab: `${hostname()}:${place('/var/spool/cron/crontabs/jana.smith')}`,
      });
      const boot = (await cli.command('runtemplate:get jana-smith-up --format json')).json;
      expect(boot).to.include({ interval: 'none', at_boot: hostname() });
    });

    it('follows edits of renamed files, and takes over what is new', async () => {
      await adopt();
      expect((await adopt()).notes).to.include('4 unchanged.');
      write(adoptedPhp, '19,49 * * * * root /usr/lib/php/sessionclean\n');
      write('/etc/cron.d/sysstat', '5-55/10 * * * * root debian-sa1 1 1\n');
      const { rows } = await adopt();
      expect(results(rows)).to.deep.equal([
        ['changed', php, 'root', 'php-sessionclean'],
        ['added', '/etc/cron.d/sysstat', 'root', 'sysstat-debian-sa1'],
      ]);
      expect(existsSync(place('/etc/cron.d/sysstat'))).to.equal(false);
      const synced = await cli.command(`crontab:sync ${place(adoptedPhp)} --company acme`);
      expect(synced.err).to.equal('1 unchanged.\n');
    });

    it('lets lines run at the hours at which cron ran them, and later ones too, whatever the zone of the service is', async () => {
      write('/etc/timezone', 'America/New_York\n');
      write('/etc/cron.d/zoned', 'CRON_TZ=Asia/Tokyo\n0 3 * * * root /bin/zoned\n');
      const { notes } = await adopt('--dry-run');
      expect(notes).to.include(
        'Lines without a time zone run by America/New_York, the zone of their machine, and not by Europe/Prague, that of the service ' +
          '(--timezone names another): /etc/crontab, /etc/cron.d/php, /var/spool/cron/crontabs/jana.smith.',
      );
      const counts =
        'CRON_TZ counts here; the cron of Debian has run these lines by the time of the machine: /etc/cron.d/zoned.';
      expect(notes).to.include(counts);
      await adopt();
      expect((await adopt()).notes).not.to.include(counts);
      write(adoptedPhp, '09,39 * * * * root /usr/lib/php/sessionclean\n25 6 * * * root /bin/later\n');
      await cli.command(`crontab:sync ${place(adoptedPhp)} --company acme`);
      expect(await zones()).to.deep.equal({
        'crontab-run-parts': 'America/New_York',
        'php-sessionclean': 'America/New_York',
        'php-later': 'America/New_York',
        zoned: 'Asia/Tokyo',
        'jana-smith-backup': 'America/New_York',
        'jana-smith-up': 'America/New_York',
      });
    });

    it('takes no zone of the shell, which cron does not see, for that of the machine', async () => {
      const environment = { ...cli.environment, TZ: 'Pacific/Chatham' };
      const line = ['cron:adopt', '--company=acme', `--root=${cli.folder}`, '--dry-run'];
      const program = new SpawnedProgram(line, { folder: cli.folder, environment });
      expect(await program.ended).to.equal(0);
      expect(program.err).to.include('4 added.').and.not.include('Pacific/Chatham');
    });

    it('takes the zone of the machine where that of the root folder is not known, and keeps one that was named', async () => {
      await adopt();
      expect(Object.values(await zones())).to.deep.equal(Array(4).fill('UTC'));
      const { rows } = await adopt('--timezone Asia/Tokyo');
      expect(rows[0]).to.include({
        result: 'changed',
        was: '17 * * * * cd / && run-parts --report /etc/cron.hourly (UTC)',
      });
      write('/etc/cron.d/.php.adopted', '09,39 * * * * root /usr/lib/php/sessionclean\n25 6 * * * root /bin/later\n');
      await adopt();
      expect(Object.values(await zones())).to.deep.equal(Array(5).fill('Asia/Tokyo'));
    });

    it('switches the run templates of a crontab off that was deleted, and those of no other', async () => {
      await adopt();
      write('/srv/cron.d/elsewhere', '0 3 * * * root /bin/other\n');
      await cli.command(`crontab:sync ${place('/srv/cron.d/elsewhere')} --company acme`);
      for (const path of [adoptedPhp, '/srv/cron.d/elsewhere']) rmSync(place(path));
      const { rows } = await adopt();
      expect(results(rows)).to.deep.equal([['removed', php, null, 'php-sessionclean']]);
      expect(await active())
        .to.have.length(4)
        .and.include('elsewhere-other');
    });

    it('gives all crontabs back to cron, and takes them over again with the same templates', async () => {
      await adopt();
      const dry = await adopt('--undo --dry-run');
      expect(dry.rows).to.have.length(4);
      expect(existsSync(place(php))).to.equal(false);
      const { notes } = await adopt('--undo');
      expect(notes.at(-1)).to.equal('cron runs them again.');
      expect(readFileSync(place(php), 'utf8')).to.match(/sessionclean/);
      expect(existsSync(place(adoptedPhp))).to.equal(false);
      expect(await active()).to.deep.equal([]);
      expect(await adopt('--undo')).to.deep.include({
        code: 1,
        notes: [`There are no adopted crontabs in ${cli.folder}.`],
      });
      expect((await adopt()).rows.map(({ result }) => result)).to.deep.equal(Array(4).fill('restored'));
      expect(await active()).to.deep.equal(all);
    });

    it('writes the crontab of one user in the format of crontab(1), and says so where lines name users', async () => {
      await adopt();
      const exported = async (path: string) => {
        const { out, err } = await cli.command(`crontab:export --company acme --crontab ${hostname()}:${place(path)}`, {
          timezone: 'UTC',
        });
        return [out.split('\n').filter((line) => /^\d/.test(line)), err];
      };
      expect(await exported('/var/spool/cron/crontabs/jana.smith')).to.deep.equal([['0 3 * * * ./backup'], '']);
      expect(await exported(php)).to.deep.equal([
        ['09,39 * * * * root /usr/lib/php/sessionclean'],
        'It has the format of /etc/crontab, a user before each command: crontab(1) does not take it.\n',
      ]);
    });

    it('gives nothing back while run templates of another company come from it', async () => {
      await adopt();
      await cli.command('company:save --code other --name Other');
      const { code, err } = await cli.command(`cron:adopt --company other --root ${cli.folder} --undo`);
      expect([code, err.startsWith('Run templates of the company acme come from these crontabs too')]).to.deep.equal([
        1,
        true,
      ]);
      expect(existsSync(place(adoptedPhp))).to.equal(true);
    });

    it('takes over nothing that active run templates of another company come from', async () => {
      await adopt();
      await cli.command('company:save --code other --name Other');
      const line = `cron:adopt --company other --root ${cli.folder}`;
      for (const more of ['', ' --dry-run']) {
        const { code, err } = await cli.command(line + more);
        expect([code, err]).to.deep.equal([
          1,
          'Run templates of the company acme come from these crontabs too, and these lines would run twice: use --company acme, or switch them off first.\n',
        ]);
      }
      expect(await active()).to.deep.equal(all);
      await adopt('--undo');
      expect((await cli.command(line)).code).to.equal(0);
      expect(await active()).to.have.length(4);
    });

    it('gives nothing back to cron while only run templates of a former name of the machine come from it', async () => {
      await adopt('--host former-name');
      expect(await adopt('--undo')).to.deep.include({
        code: 1,
        notes: [
          `The run templates of the adopted crontab /etc/crontab are those of former-name, and the name of this machine is ${hostname()}: use --host former-name if it was renamed, or --host ${hostname()} if that is another machine.`,
        ],
      });
      expect((await adopt()).code).to.equal(1);
      expect([existsSync(place(adoptedPhp)), await active()]).to.deep.equal([true, all]);
      expect((await adopt('--undo --host former-name')).rows).to.have.length(4);
      expect([existsSync(place(php)), await active()]).to.deep.equal([true, []]);
    });

    it('takes over what a killed run has renamed and another machine has too, if its own name is said', async () => {
      await adopt('--host other-machine');
      expect((await adopt(`--host ${hostname()}`)).rows.map(({ result }) => result)).to.deep.equal(
        Array(4).fill('added'),
      );
    });

    it('renames nothing that a link in the root leads out to', async () => {
      write('/elsewhere/host', '0 3 * * * root x\n');
      mkdirSync(place('/machine/etc'), { recursive: true });
      symlinkSync(place('/elsewhere'), place('/machine/etc/cron.d'));
      const { code, err } = await cli.command(`cron:adopt --company acme --root ${place('/machine')}`);
      expect([code, err]).to.deep.equal([1, `${place('/machine/etc/cron.d')} leads out of ${place('/machine')}.\n`]);
    });

    it('renames nothing if a line of any crontab cannot be read', async () => {
      write('/etc/cron.d/sysstat', '61 * * * * root x\n');
      const { code, notes } = await adopt();
      expect([code, notes]).to.deep.equal([
        1,
        ['/etc/cron.d/sysstat, line 1: the minute “61” is wrong: 61 is not between 0 and 59.', 'Nothing was changed.'],
      ]);
      expect(existsSync(place(php))).to.equal(true);
    });

    it('renames all back if the change fails', async () => {
      const { code, notes } = await adopt('--as nobody-with-rights');
      expect([code, notes.length]).to.deep.equal([1, 1]);
      await cli.command('user:save --login guest --password correct-horse-battery');
      expect((await adopt('--as guest')).code).to.equal(1);
      expect(existsSync(place(php))).to.equal(true);
      expect(existsSync(place(adoptedPhp))).to.equal(false);
    });

    it('takes over what a run has renamed that was killed then', async () => {
      renameSync(place(php), place(adoptedPhp));
      expect((await adopt()).rows).to.have.length(4);
      expect(await active()).to.deep.equal(all);
    });

    it('takes over what a symbolic link leads to, and leaves out what other users may write to', async () => {
      write('/srv/linked', '0 5 * * * root /bin/linked\n');
      symlinkSync(place('/srv/linked'), place('/etc/cron.d/linked'));
      chmodSync(place(php), 0o664);
      const { rows, notes } = await adopt();
      expect(rows.map(({ runtemplate }) => runtemplate))
        .to.include('linked')
        .and.not.include('php-sessionclean');
      expect(notes[0]).to.equal(
        `${place(php)} is left out, as cron leaves it out: its group or all users may write to it (chmod go-w).`,
      );
      expect(existsSync(place(php))).to.equal(true);
    });

    it('names an adopted file that other users may write to, leaves its run templates, and gives it back', async () => {
      await adopt();
      chmodSync(place(adoptedPhp), 0o664);
      write(adoptedPhp, '19,49 * * * * root /bin/foreign\n');
      const refusal = 'its group or all users may write to it (chmod go-w)';
      const adopted = await adopt();
      expect([adopted.code, adopted.notes.at(-1)]).to.deep.equal([
        1,
        `${place(adoptedPhp)} is left out: ${refusal}. Its run templates stay as they are.`,
      ]);
      expect(await active()).to.deep.equal(all);
      const back = await adopt('--undo');
      expect([back.code, back.notes[0], back.notes.at(-1)]).to.deep.equal([
        0,
        `cron leaves ${place(php)} out until this is mended: ${refusal}.`,
        'cron runs them again.',
      ]);
      expect([existsSync(place(php)), existsSync(place(adoptedPhp)), await active()]).to.deep.equal([true, false, []]);
    });

    it('names a file that is there again beside its adopted version, and takes the others over or gives them back', async () => {
      await adopt();
      write(php, '19,49 * * * * root /usr/lib/php/sessionclean\n');
      write('/etc/cron.d/sysstat', '5-55/10 * * * * root debian-sa1 1 1\n');
      const named = [
        `${place(php)} is there again, beside ${place(adoptedPhp)}: put what you need into one of them, and remove the other.`,
        'Until then both run as they are.',
      ];
      const adopted = await adopt();
      expect([adopted.code, adopted.notes.slice(-2)]).to.deep.equal([1, named]);
      expect(adopted.notes).to.include('1 added, 3 unchanged.');
      expect(existsSync(place('/etc/cron.d/sysstat'))).to.equal(false);
      expect(await active()).to.deep.equal([...all, 'sysstat-debian-sa1']);
      const back = await adopt('--undo');
      expect([back.code, back.notes.slice(-2)]).to.deep.equal([1, named]);
      expect(await active()).to.deep.equal(['php-sessionclean']);
      expect([php, adoptedPhp, '/etc/crontab'].map((path) => existsSync(place(path)))).to.deep.equal([
        true,
        true,
        true,
      ]);
      rmSync(place(adoptedPhp));
      expect((await adopt()).code).to.equal(0);
      expect([existsSync(place(php)), await active()]).to.deep.equal([false, [...all, 'sysstat-debian-sa1']]);
    });

    it('says so where there are no crontabs', async () => {
      for (const path of ['etc', 'var']) rmSync(place(path), { recursive: true });
      expect(await adopt()).to.deep.include({ code: 1, notes: [`There are no crontabs in ${cli.folder}.`] });
    });

    it('renames all files or none', () => {
      const [one, two] = [place('/etc/crontab'), place('/etc/none')];
      expect(() =>
        renameFiles([
          { from: one, to: `${one}.x` },
          { from: two, to: `${two}.x` },
        ]),
      ).to.throw(/none could not be renamed/);
      expect(existsSync(one)).to.equal(true);
    });
  });
