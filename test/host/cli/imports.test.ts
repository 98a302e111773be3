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
    for (const name of ['invoices', 'wait', 'broken-content'])
      file(`${name}.json`, readExample(`app-definitions/${name}.app.json`));
  });
  after(() => cli[Symbol.dispose]());

  const file = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
  const count = async (what: string) => (await cli.command(`${what}:list --limit 1000 --format json`)).json.length;
  const results = (rows: readonly { result: string }[]) => [...new Set(rows.map((row) => row.result))];

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

  it('simulate the templates of crontabs', async () => {
    file('tab', readExample('crontabs/system'));
    await cli.command('company:save --code acme --name Acme');
    expect((await cli.command('crontab:sync tab --company acme')).code).to.equal(0);
    const { json, err } = await cli.command('simulate --from 2027-03-01 --to 2027-03-02 --format json');
    expect(json.length).to.be.greaterThan(10);
    expect(
      json.every((run: { due: string }) => run.due >= '2027-02-28T23:00' && run.due < '2027-03-01T23:00'),
    ).to.equal(true);
    expect(err).to.match(
      new RegExp(
        `^${json.length} runs of \\d+ run templates from 2027-03-01 00:00:00\\+01:00 to 2027-03-02 00:00:00\\+01:00\\.`,
      ),
    );
    const empty = await cli.command('simulate --from 2027-03-02 --to 2027-03-01 --format json');
    expect(empty.code).to.equal(1);
    expect(empty.err).to.equal('--to must lie after --from.\n');
  });
});
