import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('A name in a record that is saved', () => {
  let cli: TestCli;
  const command = async (line: string) => {
    const { code, err } = await cli.command(line);
    expect(code, `${line}: ${err}`).to.equal(0);
  };
  const saved = async (line: string) => (await cli.command(`${line} --format json`)).json;
  const failure = async (line: string) => {
    const { code, err } = await cli.command(line);
    expect(code, line).to.equal(1);
    return err;
  };
  before(async () => {
    cli = new TestCli();
    await command('migrate');
    await command('topic:save --name web');
    await command('app:save --code tar --name Tar --executable true');
    for (const company of ['acme', 'beta']) {
      await command(`company:save --code ${company} --name ${company}`);
      await command(`credential:save --company-id ${company} --name shop`);
      await command(`runtemplate:save --company-id ${company} --app-id tar --interval none --name T --code nightly`);
    }
    await command('runtemplate:save --company-id acme --app-id tar --interval none --name T --code after');
    await command('credential:save --company-id acme --name twin');
    await command('credential:save --company-id acme --name twin');
    await command('calendar:save --code holidays --name Shared');
    await command('calendar:save --code bank --name Bank');
    await command('calendar:save --company-id acme --code holidays --name Own');
    await command('calendar:save --company-id beta --code stocktaking --name Theirs');
  });
  after(() => cli[Symbol.dispose]());

  it('means a record of the company that the same save names, in an option, in --set and in a file', async () => {
    const line = 'runtemplate:save --app-id tar --interval none --name T --company-id beta --dry-run';
    expect((await saved(`${line} --credentials shop`)).credentials).to.deep.equal([2]);
    expect((await saved(`${line} --set credentials=shop`)).credentials).to.deep.equal([2]);
    expect((await saved(`${line} --set credentials=["shop"]`)).credentials).to.deep.equal([2]);
    const terminal = { input: '{"credentials": ["shop"]}' };
    expect((await cli.command(`${line} --json - --format json`, terminal)).json.credentials).to.deep.equal([2]);
    const set = line.replace('--company-id beta', '--set company_id=beta');
    expect((await saved(`${set} --credentials shop`)).credentials).to.deep.equal([2]);
  });

  it('means a record of the company of the record that --id or the file names', async () => {
    const line = 'runtemplate:save --dry-run --credentials shop';
    expect((await saved(`${line} --id acme/nightly`)).credentials).to.deep.equal([1]);
    expect((await saved(`${line} --id 2`)).credentials).to.deep.equal([2]);
    const terminal = { input: '{"id": 2}' };
    expect((await cli.command(`${line} --json - --format json`, terminal)).json.credentials).to.deep.equal([2]);
  });

  it('means a record of the company of the template that a new event rule runs', async () => {
    const line = 'eventrule:save --runtemplate-id after --runtemplate-source-id nightly';
    expect(await saved(line)).to.include({ runtemplate_id: 3, runtemplate_source_id: 1 });
    expect(await saved('eventrule:save --id 1 --set runtemplate_source_id=nightly')).to.include({ id: 1 });
  });

  it('means the record of the company rather than a shared one, and else the shared one', async () => {
    const line = 'runtemplate:save --dry-run --calendar-id holidays --id';
    expect(await saved(`${line} acme/nightly`)).to.include({ calendar_id: 3 });
    expect(await saved(`${line} beta/nightly`)).to.include({ calendar_id: 1 });
  });

  it('means the shared record in one of no company', async () => {
    const line = 'maintenancewindow:save --name W --calendar-id holidays --dry-run';
    expect(await saved(line)).to.include({ company_id: null, calendar_id: 1 });
    expect(await saved(`${line} --runtemplate-id acme/nightly`)).to.include({ company_id: 1, calendar_id: 3 });
  });

  it('may be that of the record itself, which the company narrows too', async () => {
    const line = 'runtemplate:save --dry-run --id nightly';
    expect(await saved(`${line} --company-id beta`)).to.include({ id: 2 });
    expect(await failure(line)).to.match(/^There are 2 run templates named “nightly”: 2 \(beta\), 1 \(acme\)\./);
  });

  it('never means a record of another company, not even one with its company before it', async () => {
    const line = 'runtemplate:save --id acme/nightly --calendar-id';
    const place = 'in company acme, nor a shared one.';
    for (const name of ['stocktaking', 'beta/stocktaking'])
      expect(await failure(`${line} ${name}`)).to.equal(
        `There is no calendar with the code or name “${name}” ${place} horarium calendar:save makes one.\n`,
      );
    expect(await failure(`${line} stocktakin`)).to.not.contain('Did you mean');
    expect(await failure(`${line} bnak`)).to.contain(`“bnak” ${place} Did you mean bank?`);
    expect(await failure('runtemplate:save --id beta/nightly --credentials twin')).to.match(/ in company beta\. /);
    expect(await failure(`${line} 4`)).to.equal('RunTemplate is invalid: calendar_id: there is no Calendar 4\n');
  });

  it('is refused with the candidates where the company has several of that name', async () => {
    expect(await failure('runtemplate:save --id acme/nightly --credentials twin')).to.equal(
      'There are 2 credentials named “twin”: 4 (acme), 3 (acme). Use an id.\n',
    );
  });

  it('may stand in --set wherever an id may', async () => {
    const line = 'app:save --name tar --executable true --dry-run';
    expect((await saved(`${line} --set topics=web`)).topics).to.deep.equal([1]);
    expect((await saved(`${line} --set topics=1`)).topics).to.deep.equal([1]);
    expect((await saved(`${line} --set topics=[]`)).topics).to.deep.equal([]);
    expect(await failure(`${line} --set topics=wbe`)).to.contain('Did you mean web?');
    expect(await saved('runtemplate:save --id acme/nightly --dry-run --set calendar_id=null')).to.include({
      calendar_id: null,
    });
  });

  it('may name the record itself in a file, whose id is refused if it is neither a number nor a name', async () => {
    const saving = (id: unknown) => {
      writeFileSync(join(cli.folder, 'record.json'), JSON.stringify({ id, name: 'Tape' }));
      return cli.command('app:save --json record.json --dry-run --format json');
    };
    for (const id of [1, '1', 'tar']) expect((await saving(id)).json).to.include({ id: 1, name: 'Tape' });
    for (const id of [1.5, 1e30, true, null, [1], -1]) {
      const { code, err } = await saving(id);
      expect([code, err]).to.deep.equal([1, 'id must be a positive whole number, or a code or name.\n']);
    }
    expect((await cli.command('app:get 9999999999999999')).err).to.match(/^There is no app with the /);
  });
});

describe('A name in a filter', () => {
  it('means a record of the company that another filter names', async () => {
    using cli = new TestCli();
    await cli.command('migrate');
    for (const code of ['acme', 'beta']) await cli.command(`company:save --code ${code} --name ${code}`);
    await cli.command('calendar:save --company-id beta --code stocktaking --name Theirs');
    const { code, err } = await cli.command('runtemplate:list --company-id acme --calendar-id stocktaking');
    expect([code, err]).to.deep.equal([
      1,
      'There is no calendar with the code or name “stocktaking” in company acme, nor a shared one. horarium calendar:save makes one.\n',
    ]);
  });
});
