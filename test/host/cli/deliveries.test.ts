import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('delivery:get and delivery:retry', () => {
  let cli: TestCli;

  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name Render --executable render');
    await cli.run([
      ...'runtemplate:save --name T --app-id 1 --company-id 1 --interval none --executor external'.split(' '),
      '--set=on_failure=[{"action": "disable", "after": 2}]',
    ]);
    await cli.command('runtemplate:run 1');
    await cli.command('job:claim 1');
    await cli.command('job:report 1 --exit-code 3');
  });
  after(() => cli[Symbol.dispose]());

  it('show a notice as it was sent', async () => {
    const { json } = await cli.command('delivery:get 1 --format json');
    expect(json.notice.occurred_at)
      .to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      .and.to.equal(json.notice.failing_since);
    const { out } = await cli.command('delivery:retry 1');
    const lines = out.split('\n').filter((line) => /notice\.(occurred_at|failing_since)/.test(line));
    expect(lines).to.have.length(2);
    for (const line of lines) expect(line.endsWith(`  ${json.notice.occurred_at}`)).to.equal(true);
  });
});
