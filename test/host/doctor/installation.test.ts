import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { judgeSpace } from '../../../host/doctor/checks/disk.ts';
import { runDoctor } from '../../support/program/doctor.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';
import { databaseKinds } from '../../support/store/test-databases.ts';

const gibibyte = 1024 ** 3;

describe('doctor', () => {
  let cli: TestCli;
  beforeEach(() => {
    cli = new TestCli();
  });
  afterEach(() => cli[Symbol.dispose]());

  it('fails where there is no store, skips what needs one, and creates nothing', async () => {
    const { code, err, rows, of } = await runDoctor(cli, { HORARIUM_VAULT_KEY: '' });
    expect([code, err]).to.deep.equal([1, '']);
    expect(of('database')).to.deep.equal([
      {
        check: 'database',
        state: 'fail',
        found: `There is no file ${join(cli.folder, 'h.sqlite')}`,
        advice: '"horarium serve" or "horarium migrate" makes it ready.',
      },
    ]);
    const skipped = rows.filter(({ state }) => state === 'skipped').map(({ check }) => check);
    expect(skipped).to.deep.equal(['vault key', 'clock', 'workers', 'templates', 'event sources']);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('ends with 0 on a store that is ready, and leaves every file as it was', async () => {
    await cli.command('migrate');
    const before = readdirSync(cli.folder);
    const { code, err, rows, of } = await runDoctor(cli);
    expect([code, err]).to.deep.equal([0, '']);
    expect(rows.filter(({ state }) => state === 'fail' || state === 'skipped')).to.deep.equal([]);
    expect(of('node')[0]?.found).to.include(process.versions.node).and.include(process.execPath);
    expect(of('database')[0]).to.include({ state: 'ok', advice: '' });
    expect(readdirSync(cli.folder)).to.deep.equal(before);
  });

  it('prints the whole of what it found and of its advice, which no cell cuts', async () => {
    const { code, out } = await cli.command('doctor --database-url sqlite:/nowhere/h.sqlite');
    expect(code).to.equal(1);
    expect(out)
      .to.match(/^fail +database +There is no file \/nowhere\/h\.sqlite\n +→ "horarium serve" .* ready\.$/m)
      .and.match(/^skipped +clock +waits until the check of vault key is ok$/m);
  });

  it('names each setting that is wrong, and checks nothing that needs the settings', async () => {
    const { code, rows, of } = await runDoctor(cli, { HORARIUM_PORT: 'x', HORARIUM_WORKERS: '-1' });
    expect(code).to.equal(1);
    expect(of('settings')).to.have.length(1);
    expect(of('settings')[0]?.found).to.match(/^HORARIUM_PORT must be .*\nHORARIUM_WORKERS must be /);
    expect(rows.slice(2).every(({ state }) => state === 'skipped')).to.equal(true);
  });

  it('names the settings file, and warns of a file of a secret that every user can read', async () => {
    const secret = join(cli.folder, 'key');
    writeFileSync(secret, Buffer.alloc(32, 7).toString('base64'));
    chmodSync(secret, 0o644);
    writeFileSync(join(cli.folder, 'horarium.yaml'), 'vault_key_file: key\nport: 8081\n');
    const environment = { HORARIUM_CONFIG: 'horarium.yaml', HORARIUM_VAULT_KEY: '' };
    const [valid, open] = (await runDoctor(cli, environment)).of('settings');
    expect(valid?.state).to.equal('ok');
    expect(valid?.found).to.include('horarium.yaml').and.include(secret);
    expect(open?.state).to.equal('warn');
    expect(open?.found).to.match(/^every user of this machine can read .*key, which vault_key_file .* names/);
    expect(open?.advice).to.include('chmod 600');
  });

  it('says who runs jobs where root would start the service', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const stateOf = async (environment: Readonly<Record<string, string>>) =>
      (await runDoctor(cli, environment)).of('job user')[0]?.state;
    expect(await stateOf({})).to.equal('warn');
    expect(await stateOf({ HORARIUM_HOST: '0.0.0.0' })).to.equal('fail');
    expect(await stateOf({ HORARIUM_HOST: '0.0.0.0', HORARIUM_RUN_AS: 'nobody' })).to.equal('ok');
  });

  it('reads the certificate, and warns of one that clients refuse', async function () {
    if (!hasOpenssl()) this.skip();
    const { certificate, key } = selfSignedCertificate('jobs.example.com');
    writeFileSync(join(cli.folder, 'cert.pem'), certificate);
    writeFileSync(join(cli.folder, 'key.pem'), key, { mode: 0o600 });
    const environment = { HORARIUM_TLS_CERT: 'cert.pem', HORARIUM_TLS_KEY: 'key.pem' };
    const certificateOf = async (further: Readonly<Record<string, string>>) =>
      (await runDoctor(cli, { ...environment, ...further })).of('certificate')[0];
    expect(await certificateOf({})).to.include({ state: 'ok', found: 'cert.pem can be used' });
    const other = await certificateOf({ HORARIUM_PUBLIC_URL: 'https://other.example.com' });
    expect(other?.state).to.equal('warn');
    expect(other?.found).to.include('is not for other.example.com');
    expect(await certificateOf({ HORARIUM_TLS_KEY: 'none.pem' })).to.include({ state: 'fail' });
  });

  it('fails for a plugin that cannot be loaded', async () => {
    const { code, of } = await runDoctor(cli, { HORARIUM_PLUGINS: 'built-in,./none' });
    expect(code).to.equal(1);
    expect(of('plugins')[0]?.state).to.equal('fail');
    expect(of('plugins')[0]?.found).to.match(/^The plugin \.\/none cannot be loaded: /);
  });

  it('fails for a store with pending migrations, and for one of a newer version', async () => {
    await cli.command('migrate');
    const url = cli.environment['HORARIUM_DATABASE_URL'] as string;
    const statement = (sql: string) => databaseKinds.sqlite.execute(url, sql);
    await statement(`insert into horarium_migrations (name) values ('Migration20991231235959_future')`);
    const [newer] = (await runDoctor(cli)).of('database');
    expect(newer).to.include({ state: 'fail' });
    expect(newer?.found).to.include('Migration20991231235959_future');
    expect(newer?.advice).to.include('horarium help upgrade');
    await statement(`delete from horarium_migrations where name like '%\\_future' escape '\\'`);
    await statement('delete from horarium_migrations where id = (select max(id) from horarium_migrations)');
    const { code, of } = await runDoctor(cli);
    expect(code).to.equal(1);
    expect(of('database')[0]).to.include({
      state: 'fail',
      found: 'The database is of an older version and needs a migration',
    });
    expect(of('database')[0]?.advice).to.include('horarium migrate');
  });

  it('shows the password of a database nowhere, whether it answers or not', async () => {
    for (const url of ['postgres://me:hunter2@127.0.0.1:1/x', 'postgres://me:hunter2@127.0.0.1:1/']) {
      const { code, out, err } = await runDoctor(cli, { HORARIUM_DATABASE_URL: url });
      expect(code).to.equal(1);
      expect(`${out}${err}`).not.to.include('hunter2');
    }
    const [database] = (await runDoctor(cli, { HORARIUM_DATABASE_URL: 'postgres://me:x@127.0.0.1:1/x' })).of(
      'database',
    );
    expect(database?.found).to.match(/^PostgreSQL at 127\.0\.0\.1:1 .* does not answer/);
  });

  it('warns of a store in memory', async () => {
    const { code, of } = await runDoctor(cli, { HORARIUM_DATABASE_URL: 'memory:', HORARIUM_VAULT_KEY: '' });
    expect(code).to.equal(0);
    expect(of('database')[0]?.state).to.equal('warn');
    expect(of('vault key')[0]?.found).to.match(/^a throw-away key fits the store/);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('names the key file; one that is gone, open to others or of another store fails', async () => {
    const environment = { HORARIUM_VAULT_KEY: '' };
    await cli.command('migrate', { environment });
    const file = join(cli.folder, 'var/vault.key');
    const keyOf = async (further = {}) => (await runDoctor(cli, { ...environment, ...further })).of('vault key')[0];
    expect((await keyOf())?.found).to.match(new RegExp(`^${file} fits the store`));
    chmodSync(file, 0o644);
    const open = await keyOf();
    expect(open).to.include({ state: 'fail', advice: 'horarium help vault-key' });
    expect(open?.found).to.match(/\(mode 644\).* chmod 600/);
    const other = await keyOf({ HORARIUM_VAULT_KEY: Buffer.alloc(32, 9).toString('base64') });
    expect(other?.state).to.equal('fail');
    expect(other?.found).to.match(/^The vault key is not the one that the secrets in this store were encrypted with/);
    rmSync(file);
    expect((await keyOf())?.found).to.match(/vault\.key is missing, and there are secrets that need it/);
    expect(existsSync(file)).to.equal(false);
  });

  it('lists each file system once, with the folders that the service writes to', async () => {
    const { of } = await runDoctor(cli, { HORARIUM_AUDIT_ARCHIVE: 'far/away' });
    const named = of('disk').flatMap(({ found }) => found.replace(/: [\d.]+ .*/, '').split(', '));
    expect(named).to.include(cli.folder);
    expect(new Set(named).size).to.equal(named.length);
  });

  it('judges space by its share, up to a size that is enough on the largest disk', () => {
    const stateOf = (free: number, total: number) => judgeSpace('/srv', free * gibibyte, total * gibibyte).state;
    expect([stateOf(1, 8), stateOf(0.7, 8), stateOf(0.05, 8)]).to.deep.equal(['ok', 'warn', 'fail']);
    expect([stateOf(2, 10_000), stateOf(0.9, 10_000), stateOf(0.09, 10_000)]).to.deep.equal(['ok', 'warn', 'fail']);
    expect([stateOf(0.3, 0.5), stateOf(0.04, 0.5), stateOf(0.001, 0.5)]).to.deep.equal(['ok', 'warn', 'fail']);
  });
});
