import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('event:list, event:retry and event:payload', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name Render --executable render');
    for (const name of ['first', 'second'])
      await cli.command(
        `runtemplate:save --name ${name} --app-id 1 --company-id 1 --interval none --executor external`,
      );
    await cli.command('eventrule:save --runtemplate-source-id 1 --runtemplate-id 2');
    await cli.command('runtemplate:run 1');
    await cli.command('job:claim 1');
    await cli.command('job:report 1 --exit-code 0');
  });
  after(() => cli[Symbol.dispose]());

  it('show the events that wait for a running service, and those that were set aside', async () => {
    const { json } = await cli.command('event:list --format json');
    expect(json).to.have.length(1);
    expect(json[0]).to.include({ kind: 'job', event: 'succeeded', job_id: 1, state: 'pending', attempts: 0 });
    expect((await cli.command('event:list --failed --format json')).json).to.deep.equal([]);
    expect((await cli.command('event:get 1 --format json')).json.jobs).to.deep.equal([]);
    expect((await cli.command('event:payload 1 --format json')).json).to.deep.equal({});
  });

  it('refuse to retry an event that was not set aside', async () => {
    const { code, err } = await cli.command('event:retry 1');
    expect([code, err]).to.deep.equal([1, 'Event 1 is pending: only one that was set aside is retried.\n']);
  });
});

describe('eventsource:test', () => {
  it('tells why a source cannot be read, and fails then', async () => {
    using cli = new TestCli();
    await cli.command('migrate');
    const options = JSON.stringify({ driver: 'sqlite', database: '/srv/shop.sqlite' });
    await cli.run(['eventsource:save', '--name', 'shop', '--kind', 'changes-table', '--set', `options=${options}`]);
    const { code, out, err } = await cli.command('eventsource:test 1');
    expect([code, err]).to.deep.equal([1, 'EventSource 1 cannot be read.\n']);
    expect(out)
      .to.match(/reachable +false/)
      .and.match(/is in none of the folders that files may be read from/);
  });
});
