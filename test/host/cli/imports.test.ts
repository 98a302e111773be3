import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readExample } from '../../support/formats/example-files.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('import commands', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    for (const name of ['user', 'system', 'broken']) file(`crontab-${name}`, readExample(`crontabs/${name}`));
    for (const name of ['invoices', 'wait', 'broken-content'])
      file(`${name}.json`, readExample(`app-definitions/${name}.app.json`));
  });
  after(() => cli[Symbol.dispose]());

  const file = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
  const count = async (what: string) => (await cli.command(`${what}:list --limit 1000 --format json`)).json.length;
  const results = (rows: readonly { result: string }[]) => [...new Set(rows.map((row) => row.result))];

  it('show in a dry run what a crontab would create and when it would run, and create nothing', async () => {
    const { json, err } = await cli.command('crontab:import crontab-user --company acme --dry-run --format json');
    expect(json.length).to.be.greaterThan(2);
    for (const row of json) {
      expect(row).to.include({ file: 'crontab-user', result: 'created' });
      expect([row.declared, row.through_env]).to.deep.equal([['GREETING'], ['HOME']]);
      expect(row.next).to.have.length(3);
      expect(row.next.every((time: string) => Date.parse(time) > Date.now())).to.equal(true);
    }
    expect(err).to.match(/Nothing was changed: this was a dry run\.\n$/);
    expect([await count('app'), await count('runtemplate')]).to.deep.equal([0, 0]);
    const table = await cli.command('crontab:import crontab-user --company acme --dry-run');
    expect(table.out).to.match(/^file +line +schedule +user +timezone +command +declared +through_env +next +result\n/);
  });

  it('import a crontab once, and change nothing at the second import', async () => {
    const system = await cli.command('crontab:import crontab-system --company acme --system --format json');
    expect(results(system.json)).to.deep.equal(['created']);
    expect(await count('runtemplate')).to.equal(system.json.length);
    const again = await cli.command('crontab:import crontab-system --company acme --system --format json');
    expect(results(again.json)).to.deep.equal(['unchanged']);
    expect(await count('runtemplate')).to.equal(system.json.length);
    const moved = await cli.command(
      'crontab:import crontab-system --company acme --system --timezone Asia/Tokyo --format json',
    );
    expect(moved.json.some((row: { result: string }) => row.result === 'updated')).to.equal(true);
  });

  it('import a line that two files have twice, and warn that both will run', async () => {
    file('backup', '0 3 * * * /bin/backup\n');
    file('backup-too', '# a copy\n0 3 * * * /bin/backup\n0 4 * * * /bin/other\n');
    const first = await cli.command('crontab:import backup --company acme --format json');
    const [{ runtemplate }] = first.json;
    expect([results(first.json), first.err]).to.deep.equal([['created'], '']);
    const warning = `backup-too, line 2: has the same content as run template ${runtemplate} (backup: /bin/backup (0 3 * * *)); both will run.\n`;
    const dry = await cli.command('crontab:import backup-too --company acme --dry-run --format json');
    expect([results(dry.json), dry.err]).to.deep.equal([
      ['created'],
      `${warning}Nothing was changed: this was a dry run.\n`,
    ]);
    const second = await cli.command('crontab:import backup-too --company acme --format json');
    expect([results(second.json), second.err]).to.deep.equal([['created'], warning]);
    expect(second.json[0].runtemplate).to.not.equal(runtemplate);
    const again = await cli.command('crontab:import backup backup-too --company acme --format json');
    expect([results(again.json), again.err]).to.deep.equal([['unchanged'], '']);
  });

  it('name the templates of removed lines, and deactivate them with --retire', async () => {
    file('edited', '0 3 * * * first\n0 4 * * * second\n');
    const [first] = (await cli.command('crontab:import edited --company acme --format json')).json;
    file('edited', '0 4 * * * second\n');
    const name = `edited no longer holds run template ${first.runtemplate} (edited: first (0 3 * * *))`;
    const active = async () =>
      (await cli.command(`runtemplate:get ${first.runtemplate} --format json`)).json.active as boolean;
    const warned = await cli.command('crontab:import edited --company acme --format json');
    expect([warned.code, warned.err]).to.deep.equal([0, `${name}: it still runs, and --retire switches it off.\n`]);
    expect(results(warned.json)).to.deep.equal(['unchanged', 'obsolete']);
    expect(await active()).to.equal(true);
    const retired = await cli.command('crontab:import edited --company acme --retire --format json');
    expect([retired.code, retired.err]).to.deep.equal([0, `${name}: it is switched off.\n`]);
    expect(results(retired.json)).to.deep.equal(['unchanged', 'retired']);
    expect(await active()).to.equal(false);
  });

  it('warn of equal lines in one import', async () => {
    file('thrice', '0 7 * * * x\n0 8 * * * x\n0 7 * * *  x\n');
    for (const more of ['--dry-run', '--format=json']) {
      const { code, err } = await cli.command(`crontab:import thrice --company acme ${more}`);
      expect(code).to.equal(0);
      expect(err.split('\n')[0]).to.equal('thrice, line 3: has the same content as thrice, line 1; both will run.');
    }
  });

  it('ask whether a file has the system format when its commands begin with root', async () => {
    file('system-tab', '0 3 * * * root /bin/backup\n0 4 * * * rooted\n');
    const { json, err } = await cli.command('crontab:import system-tab --company acme --dry-run --format json');
    expect(json).to.have.length(2);
    expect(err).to.equal(
      'system-tab, line 1: the command begins with “root”; if that is the user, add --system.\nNothing was changed: this was a dry run.\n',
    );
  });

  it('read a crontab from standard input', async () => {
    const tab = { input: '\uFEFF5 4 * * * /bin/from-input\r\n' };
    const [line] = (await cli.command('crontab:import - --company acme --format json', tab)).json;
    expect(line).to.include({
      file: 'standard input',
      schedule: '5 4 * * *',
      command: '/bin/from-input',
      result: 'created',
    });
    const again = await cli.command('crontab:import - --company acme --format json', tab);
    expect(results(again.json)).to.deep.equal(['unchanged']);
  });

  it('refuse a file that is not UTF-8, and a file that is named twice', async () => {
    writeFileSync(join(cli.folder, 'latin-1'), Buffer.from('0 3 * * * echo caf\xe9\n', 'latin1'));
    const latin = await cli.command('crontab:import latin-1 --company acme');
    expect([latin.code, latin.err]).to.deep.equal([1, 'latin-1 is not UTF-8 text.\n']);
    const twice = await cli.command('crontab:import backup ./backup --company acme');
    expect([twice.code, twice.err]).to.deep.equal([1, './backup is named twice.\n']);
  });

  it('import nothing when one line is invalid', async () => {
    const before = await count('app');
    const { code, out, err } = await cli.command('crontab:import crontab-user crontab-broken --company acme');
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.match(/^crontab-broken, line \d+: .*\nNothing was imported\.\n$/s);
    expect(await count('app')).to.equal(before);
  });

  it('name a company that does not exist, and a file that cannot be read', async () => {
    const company = await cli.command('crontab:import crontab-user --company nope');
    expect([company.code, company.err]).to.deep.equal([
      1,
      'There is no company nope; horarium company:save --code nope --name "…" makes it.\n',
    ]);
    expect((await cli.command('crontab:import none --company acme')).err).to.match(/^none cannot be read: ENOENT/);
  });

  it('import all application definitions or none, and export them', async () => {
    const before = await count('app');
    const broken = await cli.command('app:import wait.json broken-content.json');
    expect([broken.code, broken.out]).to.deep.equal([1, '']);
    expect(broken.err).to.match(/^broken-content\.json:\n {2}.*\nNothing was imported\.\n$/s);
    expect(await count('app')).to.equal(before);
    const imported = await cli.command('app:import wait.json invoices.json --format json');
    expect(results(imported.json)).to.deep.equal(['created']);
    const again = await cli.command('app:import wait.json invoices.json --format json');
    expect(results(again.json)).to.deep.equal(['unchanged']);
    const [wait] = imported.json;
    const exported = await cli.command(`app:export ${wait.id}`);
    expect(JSON.parse(exported.out)).to.have.property('name');
    file('exported.json', exported.out);
    expect(results((await cli.command('app:import exported.json --format json')).json)).to.deep.equal(['unchanged']);
  });

  it('warn of a secret that is too short to be masked', async () => {
    const definition = JSON.parse(readExample('app-definitions/wait.app.json'));
    const environment = { PIN: { type: 'password', defval: '4711' } };
    const uuid = '00000000-0000-4000-8000-00000000c0de';
    file('door.json', JSON.stringify({ ...definition, uuid, code: 'DOOR', environment }));
    const { err, code } = await cli.command('app:import door.json');
    expect([code, err.split('\n')[0]]).to.deep.equal([
      0,
      'Warning: environment.PIN.default is shorter than 6 characters: it is encrypted, but not masked where a job prints it.',
    ]);
  });

  it('warn of what an export leaves out: the defaults of secret variables', async () => {
    const definition = JSON.parse(readExample('app-definitions/wait.app.json'));
    const environment = {
      TOKEN: { type: 'password', defval: 'a default that nobody sees' },
      OTHER: { type: 'password' },
      PLACE: { type: 'string', defval: 'Brno' },
    };
    const uuid = '00000000-0000-4000-8000-0000000c0de2';
    file('token.json', JSON.stringify({ ...definition, uuid, code: 'TOKEN', environment }));
    const [{ id }] = (await cli.command('app:import token.json --format json')).json;
    const { code, out, err } = await cli.command(`app:export ${id}`);
    expect([code, err]).to.deep.equal([
      0,
      'Warning: the default of TOKEN is secret, and left out: where the file is imported, the App has none.\n',
    ]);
    expect(JSON.parse(out).environment).to.deep.include({ TOKEN: { type: 'password' } });
    expect(
      (await cli.command(`app:export ${(await cli.command('app:import wait.json --format json')).json[0].id}`)).err,
    ).to.equal('');
  });

  it('name a file whose app cannot be created, or is defined in another file too', async () => {
    const definition = JSON.parse(readExample('app-definitions/wait.app.json'));
    const uuid = crypto.randomUUID();
    file('first.json', JSON.stringify({ ...definition, uuid, code: undefined, name: 'First' }));
    file('twin.json', JSON.stringify({ ...definition, uuid, code: undefined, name: 'Twin' }));
    const twice = await cli.command('app:import first.json twin.json');
    expect([twice.code, twice.out, twice.err]).to.deep.equal([
      1,
      '',
      `twin.json:\n  defines the same app as first.json (uuid ${uuid})\nNothing was imported.\n`,
    ]);
    await cli.command('app:save --name taken --code taken --executable true');
    file('taken.json', JSON.stringify({ ...definition, uuid: crypto.randomUUID(), code: 'taken' }));
    const taken = await cli.command('app:import twin.json taken.json');
    expect(taken.err).to.equal('taken.json: Another App has the same code.\nNothing was imported.\n');
    expect((await cli.command('app:list --format json')).out).to.not.include('Twin');
  });

  it('simulate the imported templates', async () => {
    const { json, err } = await cli.command('simulate --from 2027-03-01 --to 2027-03-02 --format json');
    expect(json.length).to.be.greaterThan(10);
    expect(
      json.every((run: { due: string }) => run.due >= '2027-02-28T23:00' && run.due < '2027-03-01T23:00'),
    ).to.equal(true);
    expect(err).to.match(
      new RegExp(
        `^${json.length} runs of \\d+ run templates from 2027-02-28T23:00:00.000Z to 2027-03-01T23:00:00.000Z\\.`,
      ),
    );
    const empty = await cli.command('simulate --from 2027-03-02 --to 2027-03-01 --format json');
    expect(empty.code).to.equal(1);
    expect(empty.err).to.equal('--to must lie after --from.\n');
  });
});
