import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('A filter of a list', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name a --executable true');
    for (const code of ['one', 'two', 'three'])
      await cli.command(`runtemplate:save --name ${code} --code ${code} --company-id 1 --app-id 1 --interval daily`);
    for (const code of ['one', 'two', 'three']) await cli.command(`backfill ${code} --from 2026-01-01 --to 2026-01-01`);
    await cli.command('task:waive 1 2 --reason x');
  });
  after(() => cli[Symbol.dispose]());

  const idsOf = async (line: string) =>
    (await cli.command(`${line} --order id --format json`)).json.map((row: { id: number }) => row.id);

  it('takes several states and several ids, separated by commas', async () => {
    expect(await idsOf('task:list --state cancelled')).to.deep.equal([1, 2]);
    expect(await idsOf('task:list --state cancelled,open')).to.deep.equal([1, 2, 3]);
    expect(await idsOf('task:list --runtemplate-id 1,3')).to.deep.equal([1, 3]);
    expect(await idsOf('task:list --runtemplate-id one,3')).to.deep.equal([1, 3]);
    expect(await idsOf('runtemplate:list --id 2,3')).to.deep.equal([2, 3]);
  });

  it('takes several codes that can hold no comma, and a text that can as it is', async () => {
    for (const code of ['beta', 'gamma']) await cli.command(`company:save --code ${code} --name ${code},Inc`);
    expect(await idsOf('company:list --code acme,gamma')).to.deep.equal([1, 3]);
    expect(await idsOf('company:list --name beta,Inc')).to.deep.equal([2]);
    expect(await idsOf('runtemplate:list --code one,two')).to.deep.equal([]);
  });

  it('leaves the columns to choose, those of the table without a choice among them', async () => {
    const fields = 'code,next_scheduled_at';
    expect((await cli.command(`runtemplate:list --fields ${fields}`)).out).to.match(
      /^code +next_scheduled_at\nthree +20/,
    );
    const { out } = await cli.command(`runtemplate:list --fields ${fields} --format csv`);
    expect(out).to.match(/^code,next_scheduled_at\r\nthree,20/);
  });

  it('says so in its help', async () => {
    const help = async (name: string) => (await cli.command(`${name} --help`)).out.replace(/\s+/g, ' ');
    expect(await help('task:list')).to.contain('filter by state, or by several separated by commas: open, running');
    expect(await help('task:list')).to.contain('filter by runtemplate_id, or by several separated by commas');
    expect(await help('task:retry')).to.contain('those in these states, separated by commas');
  });

  it('of a repetition takes several states, with spaces after the commas too', async () => {
    const line = ['task:retry', '--dry-run', '--state', 'cancelled, failed', '--format', 'json'];
    const { json } = await cli.run(line);
    expect(json.map((row: { task: number }) => row.task)).to.deep.equal([1, 2]);
  });
});
