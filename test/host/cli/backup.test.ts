import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Io } from '../../../host/cli/io.ts';
import { runCli } from '../../../host/cli/program.ts';
import { writeBackupFile } from '../../../host/commands/store/backup-files.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { databaseKinds } from '../../support/store/test-databases.ts';
import { loadFixture, readFixture } from '../../support/upgrade/store-fixture.ts';

/** The outside world of a command whose output is a terminal. */
const ioOf = (cli: TestCli): Io => ({
  arguments: [],
  environment: cli.environment,
  folder: cli.folder,
  machine: { cores: 2, timezone: 'UTC', terminal: true },
  systemTimezone: 'UTC',
  operator: 'tester on bench',
  screen: false,
  input: { bytes: async () => new Uint8Array(), text: async function* () {}, secret: async () => null },
  out: async () => undefined,
  err: async () => undefined,
});

describe('backup', () => {
  let cli: TestCli;
  let file: string;
  before(async () => {
    cli = new TestCli();
    file = join(cli.folder, 'b.jsonl');
    await cli.command('migrate');
    await cli.command('topic:save --name one');
  });
  after(() => cli[Symbol.dispose]());

  it('says what it wrote, and what is needed to restore it', async () => {
    const { json, err } = await cli.command('backup b.jsonl --format json');
    expect(json).to.have.keys('file', 'rows', 'created_at', 'audit_head', 'vault_key');
    expect(json).to.deep.include({
      file: 'b.jsonl',
      vault_key: JSON.parse(readFileSync(file, 'utf8').split('\n')[0] as string).vault,
    });
    expect(err).to.equal('');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('replaces an older backup as a whole, and no other file', async () => {
    const before = readFileSync(file, 'utf8');
    await cli.command('topic:save --name two');
    expect((await cli.command('backup b.jsonl')).code).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.contain('"two"').and.not.equal(before);
    for (const [name, said] of [
      ['h.sqlite', 'h.sqlite exists and is no backup: choose another name.'],
      ['.', '. is no file that a backup could replace.'],
      ['/dev/null', '/dev/null is no file that a backup could replace.'],
    ] as const) {
      const { code, err } = await cli.command(`backup ${name}`);
      expect([code, err]).to.satisfy(([code, err]: [number, string]) => code === 1 && err.startsWith(said));
    }
    expect((await cli.command('topic:list')).code).to.equal(0);
  });

  it('writes to standard output where the file is -, and tells of it elsewhere', async () => {
    const { code, out, err } = await cli.command('backup -');
    expect(code).to.equal(0);
    expect(out.split('\n')[0]).to.match(/^\{"horarium":"backup"/);
    expect(err).to.match(
      /^\d+ rows, as of 2\d{3}-.* \d\d:\d\d:\d\d\+0\d:00\. The head of the audit log is \d+:[0-9a-f]{64}\.\n$/,
    );
  });

  it('does not write to a terminal', async () => {
    const err: string[] = [];
    const out = async () => expect.fail('nothing is written');
    const screen = { screen: true, out, err: async (piece: unknown) => void err.push(String(piece)) };
    const code = await runCli({ ...ioOf(cli), ...screen, arguments: ['backup', '-'] });
    expect(code).to.equal(1);
    expect(err.join('')).to.contain('Standard output is a terminal: name a file');
  });

  it('names a folder that is missing, or that it may not write to, and leaves no draft', async () => {
    expect((await cli.command('backup missing/b.jsonl')).err).to.equal('missing/b.jsonl cannot be written (ENOENT).\n');
    mkdirSync(join(cli.folder, 'closed'));
    chmodSync(join(cli.folder, 'closed'), 0o500);
    // Root may write everywhere.
    if (process.getuid?.() !== 0)
      expect((await cli.command('backup closed/b.jsonl')).err).to.equal('closed/b.jsonl cannot be written (EACCES).\n');
    expect(readdirSync(cli.folder).filter((name) => name.endsWith('.draft'))).to.deep.equal([]);
  });

  it('removes the drafts of backups that were killed an hour ago, and no other file', async () => {
    const draft = (name: string) => join(cli.folder, `${name}.${crypto.randomUUID()}.draft`);
    const [yesterday, young, letter] = [draft('b-1.jsonl'), draft('b-2.jsonl'), draft('letter.txt')] as const;
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const path of [yesterday, young]) writeFileSync(path, '{"horarium":"backup","format":1');
    writeFileSync(letter, 'Dear Jana,');
    for (const path of [yesterday, letter]) utimesSync(path, longAgo, longAgo);
    await cli.command('backup b.jsonl');
    expect([yesterday, young, letter].map((path) => existsSync(path))).to.deep.equal([false, true, true]);
    for (const path of [young, letter]) rmSync(path);
  });

  it('replaces the file that a link points to, and no link to nothing', async () => {
    symlinkSync('b.jsonl', join(cli.folder, 'latest'));
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100));
    expect((await cli.command('backup latest')).code).to.equal(0);
    expect(lstatSync(join(cli.folder, 'latest')).isSymbolicLink()).to.equal(true);
    expect(statSync(file).size).to.be.above(1000);
    symlinkSync('nothing', join(cli.folder, 'nowhere'));
    symlinkSync('/proc/self/fd/1', join(cli.folder, 'stdout'));
    for (const name of ['nowhere', 'stdout']) {
      expect((await cli.command(`backup ${name}`)).err).to.contain(`${name} is no file that a backup could replace.`);
      expect(lstatSync(join(cli.folder, name)).isSymbolicLink()).to.equal(true);
    }
  });

  it('leaves a file alone that came while the backup was made', async () => {
    const io = { ...ioOf(cli), out: async () => undefined };
    const writing = writeBackupFile({ io, name: 'new.jsonl' }, async (to) => {
      await to('{"horarium":"backup"}\n');
      writeFileSync(join(cli.folder, 'new.jsonl'), 'precious');
    });
    expect(String(await rejectionOf(writing))).to.contain('new.jsonl exists and is no backup');
    expect(readFileSync(join(cli.folder, 'new.jsonl'), 'utf8')).to.equal('precious');
    expect(readdirSync(cli.folder).filter((name) => name.endsWith('.draft'))).to.deep.equal([]);
  });

  it('tells that entries of the audit log are in files elsewhere', async () => {
    using aged = new TestCli();
    const { writeAgedLog } = await import('../../support/worlds/aged-log.ts');
    await writeAgedLog(aged, 3, 60);
    await aged.command('migrate');
    await aged.command('audit:archive --retention-audit-days 30');
    const { err } = await aged.command('backup b.jsonl');
    expect(err).to.equal(
      'The entries of the audit log up to 3 are not in it: they have left the database for the folder var/audit. Copy that too.\n',
    );
    using target = new TestCli();
    const restored = await target.command(`restore ${join(aged.folder, 'b.jsonl')}`);
    expect(restored.code, restored.err).to.equal(0);
    expect(restored.err).to.contain('The entries of the audit log up to 3 are in files: put them back into var/audit');
    expect((await target.command('audit:verify --without-archive')).code).to.equal(0);
  });

  it('is refused where a plugin is not loaded whose tables the store has', async () => {
    await databaseKinds.sqlite.execute(
      cli.environment['HORARIUM_DATABASE_URL'] as string,
      `insert into horarium_migrations (name, executed_at) values ('plugin:shop:20260101000000-orders', 0)`,
    );
    expect((await cli.command('backup b.jsonl')).err).to.equal(
      'The store has tables of the plugin shop, which is not loaded: run the command with the settings of the service.\n',
    );
  });
});

describe('restore', () => {
  let original: TestCli;
  let backup: string;
  before(async () => {
    original = new TestCli();
    backup = join(original.folder, 'b.jsonl');
    await original.command('migrate');
    await original.command('topic:save --name one');
    await original.command(`backup ${backup}`);
  });
  after(() => original[Symbol.dispose]());

  it('restores into a new database, with users who can sign in as before', async () => {
    using cli = new TestCli();
    const { code, out } = await cli.command(`restore ${backup}`);
    expect(code).to.equal(0);
    expect(out).to.match(
      /^rows +\d+\nmade_at +2.*\+0\d:00\nmade_by +Horarium [\d.]+ on sqlite\naudit_log +verified\nentries +\d+\npause +1\n/,
    );
    const list = async (each: TestCli, name: string) => (await each.command(`${name}:list --format json`)).json;
    for (const name of ['topic', 'user', 'userrole'])
      expect(await list(cli, name)).to.deep.equal(await list(original, name));
  });

  it('reads standard input where the file is -', async () => {
    using cli = new TestCli();
    expect((await cli.command('restore -', { input: readFileSync(backup) })).code).to.equal(0);
    expect((await cli.command('topic:list')).out).to.contain('one');
  });

  it('checks a backup without leaving anything, where the database is memory:', async () => {
    using cli = new TestCli('memory:');
    const { code, out, err } = await cli.command(`restore ${backup}`);
    expect(code).to.equal(0);
    expect(out).to.contain('verified');
    expect(err).to.equal('The backup is whole. Nothing of it was kept.\n');
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('leaves a store alone that is not empty, or that an older version has made', async () => {
    const { code, err } = await original.command(`restore ${backup}`);
    expect([code, err]).to.deep.equal([
      1,
      'The store is not empty: it has rows of Topic. A backup is restored into a new database only.\n',
    ]);
    for (const kind of ['sqlite', 'postgresql'] as const) {
      const database = await loadFixture('ae58b3c', kind);
      using cli = new TestCli(database.url);
      expect((await cli.command(`restore ${backup}`)).err).to.equal(
        'The database is not empty: another version of Horarium has made it.\n',
      );
      expect((await cli.command('topic:list')).err).to.contain('Back it up with that version first');
      await database.drop();
    }
    expect(readFixture('ae58b3c', 'sqlite').vaultKeys).to.have.length(2);
  });

  it('makes no new vault key, and names the one that it needs', async () => {
    using other = new TestCli(undefined, { HORARIUM_VAULT_KEY: Buffer.alloc(32, 8).toString('base64') });
    expect((await other.command(`restore ${backup}`)).err).to.match(
      /^The secrets in the backup need the vault key with the fingerprint [0-9a-f]{32}, not [0-9a-f]{32}\./,
    );
    using none = new TestCli(undefined, { HORARIUM_VAULT_KEY: '' });
    expect((await none.command(`restore ${backup}`)).err).to.match(/^The key file .*var\/vault\.key is missing/);
    expect(existsSync(join(none.folder, 'var/vault.key'))).to.equal(false);
  });

  it('creates no database for a file that is no backup', async () => {
    using cli = new TestCli();
    writeFileSync(join(cli.folder, 'letter.txt'), 'Dear Jana,\n');
    for (const [name, said] of [
      ['letter.txt', 'This is no backup of Horarium: its first line is no header.\n'],
      ['missing.jsonl', 'missing.jsonl cannot be read (ENOENT).\n'],
      ['.', '. cannot be read (EISDIR).\n'],
    ] as const)
      expect((await cli.command(`restore ${name}`)).err).to.equal(said);
    expect(readdirSync(cli.folder)).to.deep.equal(['letter.txt']);
  });
});
