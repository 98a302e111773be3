import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('The table of a record', () => {
  let cli: TestCli;
  const command = async (line: string) => {
    const { code, out, err } = await cli.command(line);
    expect(code, `${line}: ${err}`).to.equal(0);
    return out;
  };
  /** Runs a command that prints a record, and returns the lines of its table by field. */
  const fieldsOf = async (line: string): Promise<Record<string, string>> => {
    const lines = (await command(line)).split('\n');
    return Object.fromEntries(lines.map((text) => text.split(/ {2,}/)).map(([field, value = '']) => [field, value]));
  };
  const template = 'runtemplate:save --company-id acme --app-id tar --interval daily --name Nightly --code nightly';
  before(async () => {
    cli = new TestCli();
    await command('migrate');
    await command('company:save --code acme --name Acme');
    await command('app:save --code tar --name Tar --executable true');
    for (const name of ['shop', 'vault']) await command(`credential:save --company-id acme --name ${name}`);
    await command('user:save --login olga --set password=correct-horse-1');
    await command('companyuser:save --company-id acme --login olga --role operator');
    await command(`${template} --credentials shop --credentials vault`);
    await command('backfill nightly --from 2026-01-01 --to 2026-01-01');
    await command('runtemplate:run nightly --as olga');
  });
  after(() => cli[Symbol.dispose]());

  it('has the names of other records beside their ids', async () => {
    const names = { company_id: '1 acme', app_id: '1 tar', credentials: '1 shop, 2 vault' };
    expect(await fieldsOf('runtemplate:get nightly')).to.include(names);
    expect(await fieldsOf('job:get 2')).to.include({ runtemplate_id: '1 nightly', company_id: '1 acme', task_id: '' });
    expect(await fieldsOf('companyuser:get 1')).to.include({ company_id: '1 acme', user_id: '2 olga' });
  });

  it('has them after a save, a trial of one, a run and a pause too', async () => {
    const names = { company_id: '1 acme', app_id: '1 tar' };
    expect(await fieldsOf(template)).to.include(names);
    expect(await fieldsOf(`${template} --dry-run`)).to.include(names);
    expect(await fieldsOf('runtemplate:run nightly --at 2099-01-01T00:00:00Z')).to.include(names);
    expect(await fieldsOf('pause --template nightly --for 1h --reason x')).to.include({ runtemplate_id: '1 nightly' });
  });

  it('names the record that an entry of the audit log is about', async () => {
    const [entry] = (await cli.command('auditlog:list --entity-type RunTemplate --format json')).json;
    const names = { entity_type: 'RunTemplate', entity_id: '1 nightly', company_id: '1 acme' };
    expect(await fieldsOf(`auditlog:get ${entry.id}`)).to.include(names);
  });

  it('shows the lists in it as lists are shown', async () => {
    const out = await command('task:get 1');
    expect(out).to.match(/^runtemplate_id +1 nightly$/m);
    expect(out).to.match(/^jobs:\nid +runtemplate +task_id .*\n1 +1 nightly +1 /m);
  });

  it('has the id alone of a record that the user may not see', async () => {
    expect(await fieldsOf('job:get 2')).to.include({ launched_by: '2 olga' });
    await command('user:save --login eve --set password=correct-horse-1');
    await command('companyuser:save --company-id acme --login eve --role viewer');
    expect(await fieldsOf('job:get 2 --as eve')).to.include({ launched_by: '2', company_id: '1 acme' });
  });

  it('has ids alone in json, yaml and csv', async () => {
    const { json } = await cli.command('runtemplate:get nightly --format json');
    expect(json)
      .to.include({ company_id: 1, app_id: 1 })
      .and.to.deep.include({ credentials: [1, 2] });
    expect(await command('runtemplate:get nightly --format yaml')).to.match(/^company_id: 1$/m);
    expect(await command('task:get 1 --format csv')).to.not.include('nightly');
    expect(await command(`${template} --format csv`)).to.not.include('acme');
  });
});
