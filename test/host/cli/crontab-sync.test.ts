import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readExample } from '../../support/formats/example-files.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const horarium = join(import.meta.dirname, '../../../host/horarium.js');

for (const { database, openCli } of cliDatabases)
  describe(`crontab:sync on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      for (const name of ['user', 'system', 'broken']) file(`crontab-${name}`, readExample(`crontabs/${name}`));
    });
    after(() => cli[Symbol.dispose]());

    const file = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
    const sync = async (line: string, terminal = {}) => {
      const { code, out, err } = await cli.command(`crontab:sync ${line} --company acme --format json`, terminal);
      const rows: Readonly<Record<string, unknown>>[] = code === 0 ? JSON.parse(out) : [];
      return { code, rows, results: rows.map(({ result }) => result), notes: err.split('\n').slice(0, -1) };
    };
    const source = (name: string) => `${hostname()}:${join(cli.folder, name)}`;
    const count = async (what: string) => (await cli.command(`${what}:list --limit 1000 --format json`)).json.length;

    it('shows in a dry run what would change and when it would run, and changes nothing', async () => {
      const { rows, results, notes } = await sync('crontab-user --dry-run');
      expect(results).to.deep.equal(['added', 'added', 'added', 'added']);
      for (const row of rows) {
        expect(row).to.include({ file: 'crontab-user', user: null, was: null });
        const next = row['next'] as string[];
        expect(next).to.have.length(3);
        expect(next.every((time) => Date.parse(time) > Date.now())).to.equal(true);
      }
      expect(notes.slice(-2)).to.deep.equal(['4 added.', 'Nothing was changed: this was a dry run.']);
      expect([await count('app'), await count('runtemplate')]).to.deep.equal([0, 0]);
      const { out } = await cli.command('crontab:sync crontab-user --company acme --dry-run');
      expect(out).to.match(/^result +file +line +schedule +user +command +was +next +runtemplate\n/);
    });

    it('knows the format of the system by itself, and changes nothing the second time', async () => {
      const first = await sync('crontab-system');
      expect(first.rows.map(({ user }) => user)).to.include.members(['root', 'reports']);
      expect(await count('runtemplate')).to.equal(first.rows.length);
      const again = await sync('./crontab-system');
      expect([again.rows, again.notes.at(-1)]).to.deep.equal([[], `${first.rows.length} unchanged.`]);
      const moved = await sync('crontab-system --timezone Asia/Tokyo');
      expect(moved.results).to.include('changed');
    });

    it('shows the crontab of each run template in a list, where it is asked for', async () => {
      const { code, out, err } = await cli.command('runtemplate:list --fields code,crontab --limit 1');
      expect([code, err.replace(/--after \S+/, '')]).to.deep.equal([0, 'The next page: \n']);
      expect(out).to.match(/^code +crontab\n\S+ +\S+:\/.*\/crontab-system\n$/);
      const wrong = await cli.command('runtemplate:list --fields crontap');
      expect([wrong.code, wrong.out]).to.deep.equal([2, '']);
      expect(wrong.err).to.match(/crontap is not a column; the columns are id, .*, crontab, /);
      // The heading of a reference is its field without the end, also beside a field of a plugin.
      expect((await cli.command('runtemplate:list --fields company,crontab')).out).to.match(/^company +crontab\n/);
    });

    it('lets run templates follow edits: changed, removed and restored lines keep theirs', async () => {
      file('edited', '0 3 * * * first\n0 4 * * * second\n');
      expect((await sync('edited')).rows.map(({ runtemplate }) => runtemplate)).to.deep.equal([
        'edited-first',
        'edited-second',
      ]);
      file('edited', '# first\n0 4 * * * second --more\n');
      const edited = await sync('edited');
      expect(
        edited.rows.map(({ result, was, command, runtemplate }) => [result, was, command, runtemplate]),
      ).to.deep.equal([
        ['changed', '0 4 * * * second', 'second --more', 'edited-second'],
        ['removed', null, 'first', 'edited-first'],
      ]);
      expect(edited.notes).to.deep.equal(['1 changed, 1 removed.']);
      const { json } = await cli.command('runtemplate:get edited-first --format json');
      expect(json).to.deep.include({
        active: false,
        crontab: `${hostname()}:${join(cli.folder, 'edited')}`,
        crontab_line: null,
      });
      const { json: second } = await cli.command('runtemplate:get edited-second --format json');
      expect(second).to.deep.include({ active: true, crontab_line: 2 });
      file('edited', '0 3 * * * first\n0 4 * * * second --more\n');
      expect((await sync('edited')).results).to.deep.equal(['restored']);
    });

    it('shows when a new line would run in the time zone that its template gets', async () => {
      file('nightly', '30 2 * * * /bin/nightly\n');
      const shown = (await sync('nightly')).rows[0]?.['next'] as string[];
      const { json } = await cli.command('runtemplate:get nightly --format json');
      expect(shown[0]).to.equal(json.next_scheduled_at);
    });

    it('takes the zone of the machine for a file that cron reads', async function () {
      const ofCron = ['/etc/crontab', '/etc/cron.d/e2scrub_all', '/etc/cron.d/php'].find((path) => existsSync(path));
      if (ofCron === undefined) return this.skip();
      const { notes } = await sync(`${ofCron} --dry-run`, { timezone: 'Asia/Tokyo' });
      expect(notes).to.include(
        `Lines without a time zone run by Asia/Tokyo, the zone of their machine, and not by Europe/Prague, that of the service (--timezone names another): ${ofCron}.`,
      );
    });

    it('names in an export each time zone that is not that of the machine', async () => {
      file('of-service', '30 2 * * * /bin/of-service\n');
      file('of-tokyo', 'CRON_TZ=Asia/Tokyo\n30 2 * * * /bin/of-tokyo\n');
      await sync('of-service of-tokyo');
      const exported = async (name: string, timezone: string) => {
        const { out } = await cli.command(`crontab:export --company acme --crontab ${source(name)}`, { timezone });
        return out.split('\n').slice(1, -1);
      };
      expect(await exported('of-service', 'Europe/Prague')).to.deep.equal(['30 2 * * * /bin/of-service']);
      expect(await exported('of-service', 'Asia/Tokyo')).to.deep.equal([
        'CRON_TZ=Europe/Prague',
        '30 2 * * * /bin/of-service',
      ]);
      expect(await exported('of-tokyo', 'Asia/Tokyo')).to.deep.equal(['30 2 * * * /bin/of-tokyo']);
    });

    it('names the time zone that a line had, and refuses one that there is not', async () => {
      file('moved', 'CRON_TZ=America/New_York\n30 2 * * * /bin/moved\n');
      await sync('moved');
      file('moved', '30 2 * * * /bin/moved\n');
      expect((await sync('moved')).rows[0]).to.include({
        result: 'changed',
        was: '30 2 * * * /bin/moved (America/New_York)',
      });
      expect((await sync('moved --timezone Europe/Nowhere')).code).to.equal(1);
    });

    it('names a template that is switched off, and a line that another crontab has too', async () => {
      file('backup', '0 3 * * * /bin/backup\n');
      file('backup-too', '# a copy\n0 3 * * * /bin/backup\n0 4 * * * /bin/other\n');
      expect((await sync('backup')).notes).to.deep.equal(['1 added.']);
      expect((await sync('backup-too')).notes).to.deep.equal([
        `backup-too, line 2: ${hostname()}:${join(cli.folder, 'backup')}, line 1, is the same; both will run.`,
        '2 added.',
      ]);
      await cli.command('runtemplate:save --id backup --active false');
      expect((await sync('backup')).notes).to.deep.equal([
        'backup, line 1: its run template backup is switched off, so it does not run.',
        '1 unchanged.',
      ]);
    });

    it('reads the files of a folder that cron would read', async () => {
      mkdirSync(join(cli.folder, 'cron.d'));
      file('cron.d/one', '0 3 * * * root /bin/one\n');
      file('cron.d/two', '0 3 * * * root /bin/two\n');
      file('cron.d/two.dpkg-old', 'x\n');
      file('cron.d/.placeholder', 'x\n');
      const { rows } = await sync('cron.d');
      expect(rows.map(({ file: name, user }) => [name, user])).to.deep.equal([
        ['cron.d/one', 'root'],
        ['cron.d/two', 'root'],
      ]);
      rmSync(join(cli.folder, 'cron.d/one'));
      expect((await sync('cron.d')).rows.map(({ result, runtemplate }) => [result, runtemplate])).to.deep.equal([
        ['removed', 'one'],
      ]);
    });

    it('reads standard input under a name, which a file of that name elsewhere does not share', async () => {
      const input = { input: '\uFEFF5 4 * * * /bin/from-input\r\n' };
      expect((await sync('- --source jana --user nobody', input)).rows[0]).to.include({
        file: 'jana',
        user: 'nobody',
        schedule: '5 4 * * *',
        command: '/bin/from-input',
        result: 'added',
      });
      expect((await sync('- --source jana --user nobody', input)).notes).to.deep.equal(['1 unchanged.']);
      expect((await sync('- --source petr', { input: '5 5 * * * x\n' })).results).to.deep.equal(['added']);
    });

    it('writes back what it has read, and what it has not', async () => {
      file('jana', 'A=1\n0 3 * * * ./backup "100\\%"\n');
      await sync('jana');
      const exported = await cli.command(`crontab:export --company acme --crontab ${source('jana')}`, {
        timezone: 'Europe/Prague',
      });
      expect(exported).to.include({
        code: 0,
        out: '# jana-backup: ./backup "100%"\nA=1\n0 3 * * * ./backup "100\\%"\n',
        err: '',
      });
      file('jana', exported.out);
      expect((await sync('jana')).notes).to.deep.equal(['1 unchanged.']);
      const none = await cli.run(['crontab:export', '--company=acme', '--crontab=none']);
      expect([none.code, none.out, none.err]).to.deep.equal([0, '', 'No active run template comes from none.\n']);
      const all = await cli.command('crontab:export --company acme --system');
      expect(all.out).to.match(/ root /);
    });

    it('refuses a file that is not UTF-8, and a file that is named twice', async () => {
      writeFileSync(join(cli.folder, 'latin-1'), Buffer.from('0 3 * * * echo caf\xe9\n', 'latin1'));
      expect(await sync('latin-1')).to.deep.include({ code: 1, notes: ['latin-1 is not UTF-8 text.'] });
      expect(await sync('backup ./backup')).to.deep.include({ code: 1, notes: ['./backup is named twice.'] });
    });

    it('names the line of what a record cannot have', async () => {
      file('long-user', `# users have 32 characters at most\n0 3 * * * ${'u'.repeat(40)} x\n`);
      const refused = await sync('long-user --system');
      expect(refused.code).to.equal(1);
      expect(refused.notes.at(-1)).to.match(/^long-user, line 2: RunTemplate is invalid: executor_options\.user /);
    });

    it('leaves crontabs of a folder that were adopted to cron:adopt', async () => {
      const folder = join(cli.folder, 'machine/cron.d');
      mkdirSync(folder, { recursive: true });
      file('machine/cron.d/kept', '0 3 * * * root kept\n');
      file('machine/cron.d/taken', '0 3 * * * root taken\n');
      expect((await sync('machine/cron.d')).results).to.deep.equal(['added', 'added']);
      renameSync(join(folder, 'taken'), join(folder, '.taken.adopted'));
      const { rows, notes } = await sync('machine/cron.d');
      expect(rows).to.deep.equal([]);
      expect(notes).to.deep.equal([`${join(folder, 'taken')} is adopted, and left to cron:adopt.`, '1 unchanged.']);
      expect((await cli.command('runtemplate:get taken --format json')).json.active).to.equal(true);
      rmSync(folder, { recursive: true });
    });

    it('leaves a file out that is there again beside its adopted version, and says that one is adopted', async () => {
      const folder = join(cli.folder, 'again/cron.d');
      mkdirSync(folder, { recursive: true });
      file('again/cron.d/first-one', '0 3 * * * root first\n');
      file('again/cron.d/jana', '0 3 * * * root of-jana\n');
      await sync('again/cron.d');
      renameSync(join(folder, 'jana'), join(folder, '.jana.adopted'));
      expect(await sync('again/cron.d/jana')).to.deep.include({
        code: 1,
        notes: [`again/cron.d/jana is adopted, as ${join(folder, '.jana.adopted')}: cron:adopt follows it.`],
      });
      file('again/cron.d/jana', '0 5 * * * root later\n');
      file('again/cron.d/first-one', '0 4 * * * root first\n');
      const remedy = [
        `${join(folder, 'jana')} is there again, beside ${join(folder, '.jana.adopted')}: put what you need into one of them, and remove the other.`,
        'Until then both run as they are.',
      ];
      expect(await sync('again/cron.d/jana')).to.deep.include({ code: 1, notes: remedy });
      expect(await sync('again/cron.d')).to.deep.include({ code: 1, notes: ['1 changed.', ...remedy] });
      expect((await cli.command('runtemplate:get jana-of-jana --format json')).json.active).to.equal(true);
      expect((await cli.command('runtemplate:get jana-later')).code).to.equal(1);
      rmSync(folder, { recursive: true });
    });

    it('reads a folder of cron through a link as cron reads it: all users, and no file that others may write to', async function () {
      const spool = join(cli.folder, 'spool');
      mkdirSync(join(spool, 'cron/crontabs'), { recursive: true });
      file('spool/cron/crontabs/jana.smith', '0 3 * * * ./backup\n');
      file('spool/cron/crontabs/root', '0 3 * * * ./foreign\n');
      chmodSync(join(spool, 'cron/crontabs/root'), 0o666);
      symlinkSync('/var/spool/cron/crontabs', join(cli.folder, 'linked'));
      const mount = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /var/spool && exec "$@"', spool] as const;
      if (spawnSync(mount[0], [...mount.slice(1), 'true']).status !== 0) this.skip();
      const line = ['crontab:sync', 'linked', '--company', 'acme', '--format', 'json', '--dry-run'];
      const [node, program, ...before] = mount;
      const syncing = new SpawnedProgram([...before, process.execPath, horarium, ...line], cli, { node, program });
      expect(await syncing.ended).to.equal(0);
      const rows: Readonly<Record<string, unknown>>[] = JSON.parse(syncing.out);
      expect(rows.map(({ file: name, user }) => [name, user])).to.deep.equal([['linked/jana.smith', 'jana.smith']]);
      const place = join(cli.folder, 'linked');
      expect(syncing.err.split('\n')).to.include.members([
        `${join(place, 'root')} is left out, as cron leaves it out: its group or all users may write to it (chmod go-w).`,
        'cron reads linked/jana.smith too: where cron is running, its lines run twice. Use cron:adopt.',
      ]);
      expect(syncing.err).to.include('the zone of their machine, and not by Europe/Prague');
      expect(syncing.err).not.to.include('cron reads linked/root');
    });

    it('says which files cron reads too', async function () {
      const name = namesIn('/etc/cron.d').find((each) => /^[\w-]+$/.test(each) && hasTimes(`/etc/cron.d/${each}`));
      if (name === undefined) this.skip();
      const path = `/etc/cron.d/${name}`;
      const warning = `cron reads ${path} too: where cron is running, its lines run twice. Use cron:adopt.`;
      expect((await sync(`${path} --dry-run`)).notes).to.include(warning);
      file('copied', readFileSync(path, 'utf8'));
      expect((await sync('copied --dry-run')).notes.join('\n')).not.to.include('cron reads');
    });

    it('changes nothing when one line of any file cannot be read, and names each such line', async () => {
      const before = await count('app');
      file('edited', '0 9 * * * something else\n');
      const { code, rows, notes } = await sync('edited crontab-broken');
      expect([code, rows, notes.at(-1)]).to.deep.equal([1, [], 'Nothing was changed.']);
      expect(notes.length).to.be.greaterThan(2);
      for (const note of notes.slice(0, -1)) expect(note).to.match(/^crontab-broken, line \d+: /);
      expect(await count('app')).to.equal(before);
    });

    it('follows a file with --watch, and goes on when a line cannot be read', async () => {
      file('watched', '0 3 * * * first\n');
      const watching = new SpawnedProgram(
        ['crontab:sync', 'watched', '--company', 'acme', '--watch', '--format', 'json'],
        cli,
      );
      await watching.waitForOutput(/"added"/);
      file('watched', '61 3 * * * first\n');
      await watching.waitForError(/watched, line 1: /);
      file('watched', '30 3 * * * first\n0 4 * * * second\n');
      await watching.waitForOutput(/"changed".*"added"/s);
      await watching.waitForError(/1 added, 1 changed/);
      watching.process.kill('SIGINT');
      await watching.ended;
      expect((await sync('watched')).notes).to.deep.equal(['2 unchanged.']);
    });
  });

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether a file can be read and has a line that runs something. */
function hasTimes(path: string): boolean {
  try {
    return /^[\d*@]/m.test(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}
