import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFolder } from '../support/faults/read-folder.ts';
import { SpawnedProgram } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { moduleOf, unusablePlugins } from '../support/program/unusable-plugins.ts';
import { hasOpenssl, selfSignedCertificate } from '../support/secrets/certificate.ts';
import { administer, createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

/** Says that jobs may run as root, where the tests do; otherwise nobody needs to say so. */
const asRoot: Readonly<Record<string, string>> = process.getuid?.() === 0 ? { HORARIUM_RUN_AS: 'root' } : {};

describe('starting the service', () => {
  let cli: TestCli;
  let databaseUrl: string;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    databaseUrl = cli.environment['HORARIUM_DATABASE_URL'] as string;
    writeFileSync(join(cli.folder, 'text'), 'This is a letter, not a database. '.repeat(100));
    mkdirSync(join(cli.folder, 'folder'));
  });
  after(() => cli[Symbol.dispose]());

  /** Starts the service; expects the exit code 1, one sentence on stderr and nothing else, and unchanged files. */
  const expectFailure = async (line: string, sentence: RegExp, environment: Readonly<Record<string, string>> = {}) => {
    const before = readFolder(cli.folder);
    const { code, out, err } = await cli.run(['serve', '--port', '0', ...line.split(' ').filter(Boolean)], {
      environment,
    });
    expect([code, out], err).to.deep.equal([1, '']);
    expect(err).to.match(sentence);
    expect(err.trimEnd().split('\n'), err).to.have.length(1);
    expect(err).to.not.match(/ {4}at |node:|bug in Horarium/);
    expect(readFolder(cli.folder)).to.deep.equal(before);
  };

  it('fails for a database URL that cannot be used, and names the reason', async () => {
    await expectFailure('--database-url mysql://localhost/x', /--database-url.*sqlite:PATH, postgres:/);
    await expectFailure('--database-url postgres://localhost', /name of the database is missing/);
    await expectFailure('--database-url sqlite:', /--database-url/);
    const inFolder = `--database-url sqlite:${cli.folder}`;
    await expectFailure(`${inFolder}/folder`, /^The SQLite file .*folder cannot be used: it cannot be opened\.\n$/);
    await expectFailure(`${inFolder}/text/h.sqlite`, /^The SQLite file .* cannot be used: it cannot be opened\.\n$/);
    await expectFailure(`${inFolder}/text`, /^The SQLite file .*text cannot be used: it is not a SQLite database/);
    await expectFailure('--database-url sqlite:/proc/h.sqlite', /^The SQLite file \/proc\/h\.sqlite cannot be used: /);
  });

  it('fails for users of companies that it cannot keep apart, and names the one', async () => {
    const sentences = {
      '20000,-5': /^.*-5 is neither a name, nor an id or a range of ids such as 20000-20999\.\n$/,
      '0': /^.*0 holds 0, the id of root\.\n$/,
      'nobody,,daemon': /^HORARIUM_JOB_USERS must be /,
      'no-such-user': asRoot['HORARIUM_RUN_AS']
        ? /^.*there is no user no-such-user\.\n$/
        : /only root can start processes/,
    };
    for (const [users, sentence] of Object.entries(sentences))
      await expectFailure('', sentence, { HORARIUM_JOB_USERS: users });
  });

  it('fails where PostgreSQL does not answer, refuses the user or lacks the database, and says which', async () => {
    const url = new URL(await createDatabase());
    const changedUrl = (change: (copy: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return { HORARIUM_DATABASE_URL: copy.href };
    };
    const server = `PostgreSQL at 127\\.0\\.0\\.1:${url.port} \\(database \\S+\\)`;
    const unusedPort = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => resolve(port));
      });
    });
    await expectFailure(
      '',
      /^PostgreSQL at 127\.0\.0\.1:\d+ \(database \S+\) does not answer\.\n$/,
      changedUrl((copy) => {
        copy.port = String(unusedPort);
      }),
    );
    await expectFailure(
      '',
      /^PostgreSQL at nowhere\.invalid:\d+ \(database \S+\) does not answer\.\n$/,
      changedUrl((copy) => {
        copy.hostname = 'nowhere.invalid';
      }),
    );
    await expectFailure(
      '',
      new RegExp(`^${server} refuses the user or its password\\.\\n$`),
      changedUrl((copy) => {
        copy.password = 'wrong';
      }),
    );
    await expectFailure(
      '',
      new RegExp(`^${server} has no such database\\.\\n$`),
      changedUrl((copy) => {
        copy.pathname = '/nothing';
      }),
    );
    await dropDatabase(url.href);
  });

  it('fails on a store that a newer version has migrated, and leaves it unchanged', async () => {
    const file = join(cli.folder, 'newer.sqlite');
    const environment = { HORARIUM_DATABASE_URL: `sqlite:${file}` };
    expect((await cli.command('migrate', { environment })).code).to.equal(0);
    const database = new Database(file);
    database.exec(`insert into horarium_migrations (name) values ('Migration20991231235959_future')`);
    database.close();
    const sentence =
      /^The database has applied the migration Migration20991231235959_future, which this version of Horarium does not have: a newer version has used it \(horarium help upgrade\)\.\n$/;
    await expectFailure('', sentence, environment);
    for (const line of ['migrate', 'company:save --code x --name x', 'topic:list', 'status']) {
      const { code, out, err } = await cli.command(line, { environment });
      expect([line, code, out]).to.deep.equal([line, 1, '']);
      expect(err).to.match(sentence);
    }
    const url = await createDatabase();
    const postgres = { HORARIUM_DATABASE_URL: url };
    expect((await cli.command('migrate', { environment: postgres })).code).to.equal(0);
    await administer(url, `insert into horarium_migrations (name) values ('Migration20991231235959_future')`);
    await expectFailure('', sentence, postgres);
    await dropDatabase(url);
  });

  it('fails for a missing or wrong vault key before anything is written', async () => {
    const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    await expectFailure('', /^The vault key is not the one that the secrets in this store were encrypted with/, {
      HORARIUM_VAULT_KEY: key(8),
    });
    await expectFailure('', /HORARIUM_VAULT_KEY.*32 bytes/, { HORARIUM_VAULT_KEY: 'short' });
    await expectFailure('', /^HORARIUM_VAULT_KEY cannot be used: A vault key is given twice\.$/m, {
      HORARIUM_VAULT_KEY: `${key(7)},${key(7)}`,
    });
    const keyFile = join(cli.folder, 'var', 'vault.key');
    const missing = new RegExp(`^The key file ${keyFile} is missing, and there are secrets that need it`);
    await expectFailure('', missing, { HORARIUM_VAULT_KEY: '' });
  });

  it('fails for a key file that other users can read or that has no valid key', async () => {
    const folder = join(cli.folder, 'keyed');
    const file = join(folder, 'var', 'vault.key');
    mkdirSync(join(folder, 'var'), { recursive: true });
    const environment = { HORARIUM_DATABASE_URL: 'sqlite:h.sqlite' };
    const start = async (content: string, mode: number) => {
      writeFileSync(file, content);
      chmodSync(file, mode);
      const program = new SpawnedProgram(['serve', '--port', '0'], { folder, environment });
      expect([await program.ended, program.out]).to.deep.equal([1, '']);
      return program.messages;
    };
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(await start(key, 0o644)).to.equal(
      `The vault's key file ${file} is open to others than its owner (mode 644): make it its owner's alone with chmod 600.\n`,
    );
    expect(await start(`${key}\n${key.slice(4)}\n`, 0o600)).to.equal(
      `The vault's key file ${file} cannot be used: Vault key 2 is not 32 bytes in base64.\n`,
    );
    expect(await start('', 0o600)).to.equal(
      `The vault's key file ${file} cannot be used: Vault key 1 is not 32 bytes in base64.\n`,
    );
  });

  it('fails for an unusable certificate or private key before a store is created', async function () {
    if (!hasOpenssl()) this.skip();
    const [one, other] = [selfSignedCertificate('one.example.com'), selfSignedCertificate('other.example.com')];
    const files = { one: one.certificate, key: one.key, other: other.key, letter: 'Dear reader,' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cli.folder, name), text);
    const at = (name: string) => join(cli.folder, name);
    const environment = { HORARIUM_DATABASE_URL: `sqlite:${at('never-made.sqlite')}` };
    for (const [cert, key, sentence] of [
      ['letter', 'key', /^The file \S+letter \(tls_cert\) holds no certificate that can be read; .*\.\n$/],
      ['one', 'letter', /^The file \S+letter \(tls_key\) holds no private key that can be read; .*\.\n$/],
      [
        'one',
        'other',
        /^The file \S+other \(tls_key\) is not the key of the first certificate in \S+one \(tls_cert\)\.\n$/,
      ],
      ['gone', 'key', /^The file \S+gone \(tls_cert\) cannot be read: ENOENT/],
    ] as const)
      await expectFailure(`--tls-cert ${at(cert)} --tls-key ${at(key)}`, sentence, environment);
  });

  it('fails for a SQLite file that it may not read or write, and names it', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const folder = join(cli.folder, 'foreign');
    const file = join(folder, 'h.sqlite');
    const environment = { HORARIUM_DATABASE_URL: `sqlite:${file}` };
    mkdirSync(folder);
    expect((await cli.command('migrate', { environment })).code).to.equal(0);
    // The other user passes through the folders of the tests, which only their owner may enter otherwise.
    for (const parent of [dirname(cli.folder), cli.folder]) chmodSync(parent, 0o711);
    /** Runs a command as a user who owns none of the files. */
    const asStranger = async (line: string) => {
      process.seteuid?.(65_534);
      try {
        return await cli.command(line, { environment });
      } finally {
        process.seteuid?.(0);
      }
    };
    for (const [mode, reason] of [
      [0o000, 'it cannot be opened'],
      [0o444, 'it may not be written'],
    ] as const) {
      chmodSync(file, mode);
      chmodSync(folder, 0o755);
      for (const line of ['serve --port 0', 'topic:save --name x']) {
        const { code, out, err } = await asStranger(line);
        expect([line, code, out, err]).to.deep.equal([
          line,
          1,
          '',
          `The SQLite file ${file} cannot be used: ${reason}.\n`,
        ]);
      }
    }
    chmodSync(folder, 0o700);
    const { code, err } = await asStranger('serve --port 0');
    expect([code, err]).to.deep.equal([1, `The SQLite file ${file} cannot be used: it cannot be opened.\n`]);
  });

  it('fails for an address that is in use or not of this machine, and leaves the store unchanged', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await expectFailure(
      `--port ${port}`,
      new RegExp(`^Horarium cannot listen on port ${port} of 127\\.0\\.0\\.1: another program`),
    );
    other.close();
    await expectFailure(
      '--host 203.0.113.7',
      /^Horarium cannot listen on port 0 of 203\.0\.113\.7: this machine does not have/,
      asRoot,
    );
    await expectFailure('--port 70000', /--port.*65535/);
  });

  it('fails as root where others reach it, unless a setting says as whom jobs run', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const refused = (line: string, opening: string) => {
      const advice = 'HORARIUM_RUN_AS names the user that they run as; HORARIUM_RUN_AS=root says that root is meant';
      return expectFailure(
        line,
        new RegExp(`^Native jobs would run as root while ${opening}: ${advice} \\(horarium help job-users\\)\\.\\n$`),
      );
    };
    await refused('--host 0.0.0.0', 'the service listens on 0.0.0.0');
    await refused('--host ::', 'the service listens on ::');
    await refused('--public-url https://jobs.example.com', 'the service has the public URL https://jobs.example.com');
    await refused('--trust-proxy 127.0.0.1', 'the service trusts a proxy');
  });

  it('fails for an invalid setting, and names it', async () => {
    await expectFailure('--lease 1s', /--lease.*2s.*12s/);
    await expectFailure('--timezone Mars/Olympus', /--timezone/);
    await expectFailure('--plugins nonsense', /nonsense/);
    await expectFailure('', /^The folder of executables bin must be an absolute path\.$/m, {
      HORARIUM_EXECUTABLES: 'bin',
    });
    await expectFailure('', /no such user/, { HORARIUM_RUN_AS: 'no-such-user' });
    await expectFailure('', /at least 12 characters/, {
      HORARIUM_ADMIN_PASSWORD: 'short',
      HORARIUM_DATABASE_URL: 'memory:',
    });
  });

  it('fails for a plugin that it cannot use, and names it with the reason', async () => {
    for (const [name, plugin] of Object.entries(unusablePlugins)) {
      writeFileSync(join(cli.folder, `${name}.mjs`), moduleOf(plugin));
      await expectFailure('', plugin.refusal, { HORARIUM_PLUGINS: `built-in,./${name}.mjs` });
    }
    writeFileSync(
      join(cli.folder, 'json.mjs'),
      "export default { name: 'mine', api: 1, formats: [{ suffix: 'json', mime: 'a/b', write: String }] };",
    );
    const taken = /^The plugins format-json and mine both provide the format json; only one of them can be loaded\.\n$/;
    await expectFailure('', taken, { HORARIUM_PLUGINS: 'built-in,./json.mjs' });
    const start = "export default { name: 'lazy', api: 1, start() { throw new Error('no licence') } };";
    writeFileSync(join(cli.folder, 'lazy.mjs'), start);
    await expectFailure('', /^The plugin lazy cannot be started: no licence\.\n$/, {
      HORARIUM_PLUGINS: 'built-in,./lazy.mjs',
    });
  });

  it('ends the process when a plugin cannot be used, whatever the other plugins have started', async () => {
    const program = new SpawnedProgram(['serve', '--port', '0'], {
      folder: cli.folder,
      environment: { ...cli.environment, HORARIUM_PLUGINS: 'built-in,./lazy.mjs' },
    });
    expect(await program.ended).to.equal(1);
    expect(program.messages).to.equal('The plugin lazy cannot be started: no licence.\n');
  });

  it('fails with the same message and exit code when run as a separate process', async () => {
    const program = new SpawnedProgram(['serve', '--port', '0', '--database-url', 'postgres://u@127.0.0.1:1/x'], cli);
    expect(await program.ended).to.equal(1);
    expect([program.out, program.err]).to.deep.equal(['', 'PostgreSQL at 127.0.0.1:1 (database x) does not answer.\n']);
    expect(existsSync(databaseUrl.slice('sqlite:'.length))).to.equal(true);
  });
});
