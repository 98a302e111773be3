import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { TestCli } from '../../support/program/test-cli.ts';

/** The columns and the lines of a document as RFC 4180 describes it. */
function table(text: string): string[][] {
  return parse(text, { record_delimiter: '\r\n', relax_column_count: false });
}

describe('--format csv', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name =1+1 --executable true');
    await cli.command(
      'app:save --name plain --executable true --arguments a --set environment={"KEY":{"default":"v"}}',
    );
    await cli.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval daily --active true');
  });
  after(() => cli[Symbol.dispose]());

  it('writes a list with the fields of json, and texts that are formulas guarded', async () => {
    const { out } = await cli.command('app:list --format csv --order id');
    const { json } = await cli.command('app:list --format json --order id');
    const [header = [], formula = [], plain = []] = table(out);
    expect(header).to.deep.equal(Object.keys(json[0]));
    expect(formula[header.indexOf('name')]).to.equal("'=1+1");
    expect(plain[header.indexOf('created_at')]).to.equal(json[1].created_at);
  });

  it('writes lists, and objects whose keys users choose, as JSON in a cell', async () => {
    const [header = [], plain = []] = table((await cli.command('app:get 2 --format csv')).out);
    const { json } = await cli.command('app:get 2 --format json');
    for (const name of ['arguments', 'environment'])
      expect(JSON.parse(plain[header.indexOf(name)] ?? ''), name).to.deep.equal(json[name]);
  });

  it('writes the columns that --fields names, also of an empty list, and by default those of its kind', async () => {
    expect((await cli.command('company:list --format csv --fields code,id')).out).to.equal('code,id\r\nacme,1\r\n');
    expect((await cli.command('pause:list --format csv --fields id,reason')).out).to.equal('id,reason\r\n');
    const [header = [], ...rows] = table((await cli.command('pause:list --format csv')).out);
    expect([header.includes('reason'), rows]).to.deep.equal([true, []]);
  });

  it('writes a record as one line, with a column for each member of an object that the service names', async () => {
    const [header = [], values = [], ...more] = table((await cli.command('status --format csv')).out);
    expect(header).to.include.members(['version', 'queue.due']);
    expect([values.length, more]).to.deep.equal([header.length, []]);
  });

  it('writes a simulation piece by piece, and nothing of it as an error', async () => {
    const { out } = await cli.command('simulate --from 2027-01-01 --to 2027-01-03 --format csv');
    const [header, ...rows] = table(out);
    expect(header?.slice(0, 3)).to.deep.equal(['due', 'runtemplate_id', 'name']);
    expect(rows.map((row) => row.slice(0, 3))).to.deep.equal([
      ['2026-12-31T23:00:00.000Z', '1', 't'],
      ['2027-01-01T23:00:00.000Z', '1', 't'],
    ]);
    const none = await cli.command('simulate --from 2020-01-01T01:00:00Z --to 2020-01-01T02:00:00Z --format csv');
    expect(table(none.out)).to.deep.equal([header]);
  });

  it('writes a line for each change of an apply', async () => {
    const { out } = await cli.command('apply --dry-run --format csv -', {
      input: 'apps: [{ name: new, executable: "true" }]',
    });
    const [header = [], ...rows] = table(out);
    expect(header).to.include.members(['dry_run', 'changes.action', 'changes.name', 'unchanged']);
    expect(rows.map((row) => row[header.indexOf('changes.action')])).to.deep.equal(['create']);
  });

  it('writes the rows of commands without a store', async () => {
    for (const command of ['describe', 'routes', 'permissions', 'variables', 'schema', 'config', 'plugin:list']) {
      const [header = [], ...rows] = table((await cli.command(`${command} --format csv`)).out);
      expect(Math.min(header.length, rows.length), command).to.be.above(1);
    }
  });
});
