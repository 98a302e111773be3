import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('A list on the command line', () => {
  let cli: TestCli;
  /** Runs a command that succeeds, and returns what it prints. */
  const command = async (line: string) => {
    const { code, out, err } = await cli.command(line);
    expect([code, code === 0 ? '' : err], line).to.deep.equal([0, '']);
    return out;
  };
  /** The cells of a table by heading; no cell that a test looks at has two spaces. */
  const rowsOf = async (line: string) => {
    const [head = '', ...rows] = (await command(line)).trimEnd().split('\n');
    const starts = [...head.matchAll(/\S+/g)].map(({ 0: name, index }) => [name, index] as const);
    return rows.map((row) =>
      Object.fromEntries(
        starts.map(([name, start], at) => [name, row.slice(start, starts[at + 1]?.[1] ?? row.length).trim()]),
      ),
    );
  };
  before(async () => {
    cli = new TestCli();
    await command('migrate');
    for (const code of ['acme', 'globex', '77']) await command(`company:save --code ${code} --name The${code}`);
    await command('app:save --code tar --name Tar --executable true');
    await command('app:save --name Plain --executable true');
    const template = '--interval none --set name=Backup';
    await command(`runtemplate:save --company-id acme --app-id tar --code nightly ${template}`);
    await command(`runtemplate:save --company-id globex --app-id 2 ${template}`);
    await command(`runtemplate:save --company-id 3 --app-id 2 --interval none --name ${'n'.repeat(60)}`);
    for (const login of ['olga', 'eve']) await command(`user:save --login ${login} --set password=correct-horse-1`);
    await command('companyuser:save --company-id acme --login olga --role operator');
    await command('companyuser:save --company-id acme --login eve --role viewer');
    await command('runtemplate:run 1 --as olga');
  });
  after(() => cli[Symbol.dispose]());

  it('names records in place of their ids where the name is of one alone, and beside them elsewhere', async () => {
    const [third, second, first] = await rowsOf('runtemplate:list');
    expect(first).to.include({ company: 'acme', app: 'tar' });
    expect(second).to.include({ company: 'globex', app: '2 Plain' });
    expect(third).to.include({ company: '3 77', app: '2 Plain' });
    const [job] = await rowsOf('job:list');
    expect(job).to.include({ id: '1', runtemplate: '1 nightly', state: 'scheduled' });
    const [membership] = await rowsOf('companyuser:list');
    expect(membership).to.include({ company: 'acme', user: 'eve' });
  });

  it('names the record that an entry of the audit log is about, and its company', async () => {
    const [entry] = await rowsOf('auditlog:list --entity-type RunTemplate --entity-id 1');
    expect(entry).to.include({ entity_type: 'RunTemplate', entity: '1 nightly', company: 'acme' });
  });

  it('shows the id alone of a record that was deleted', async () => {
    await command('company:save --code gone --name Gone');
    await command('company:delete gone');
    const [entry] = await rowsOf('auditlog:list --entity-type Company --entity-id 4 --limit 1');
    expect(entry).to.include({ action: 'delete', entity: '4', company: '4' });
  });

  it('shows the id alone of a record that the user may not see', async () => {
    const launchedBy = async (login: string) => (await rowsOf(`job:list --fields id,launched_by${login}`))[0];
    expect(await launchedBy('')).to.deep.equal({ id: '1', launched_by: 'olga' });
    expect(await launchedBy(' --as eve')).to.deep.equal({ id: '1', launched_by: '2' });
  });

  it('shows a long name shortened, in tables alone', async () => {
    await command('pause --template 3 --until resumed --reason test');
    const [pause] = await rowsOf('pause:list');
    expect(pause).to.include({ runtemplate: `3 ${'n'.repeat(23)}…`, company: '3 77' });
  });

  it('has ids alone in json and yaml', async () => {
    const { json } = await cli.command('runtemplate:list --format json --limit 1');
    expect(json[0]).to.include({ company_id: 3, app_id: 2 });
    expect(Object.keys(json[0])).to.not.include.members(['company', 'app']);
    expect(await command('job:list --format yaml')).to.match(/^ {2}runtemplate_id: 1$/m);
  });

  it('takes the columns of --fields by the names of fields, or by the headings that it shows', async () => {
    for (const fields of ['id,company_id', 'id,company'])
      expect((await rowsOf(`runtemplate:list --fields ${fields}`))[1]).to.deep.equal({ id: '2', company: 'globex' });
  });

  it('that a command prints about Tasks names their template, too', async () => {
    await command('runtemplate:save --id 1 --interval hourly');
    const rows = await rowsOf('backfill nightly --from 2026-01-01T00:00:00Z --to 2026-01-01T02:00:00Z --dry-run');
    expect(rows.map(({ runtemplate }) => runtemplate)).to.include('1 nightly');
  });

  it('of tokens names their users', async () => {
    await command('token:generate --user olga');
    expect((await rowsOf('token:list')).map(({ user }) => user)).to.include('olga');
  });
});
