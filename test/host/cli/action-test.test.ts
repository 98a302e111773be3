import { expect } from 'chai';
import { Receiver } from '../../support/actions/receiver.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('horarium action:test', () => {
  let cli: TestCli;
  let receiver: Receiver;
  before(async () => {
    receiver = await new Receiver().start();
    cli = new TestCli(undefined, { HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1' });
    await cli.command('migrate');
  });
  after(async () => {
    cli[Symbol.dispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const authorization = 'Bearer planted-token';
  const webhook = (path: string, more = '') =>
    cli.command(`action:test webhook --json - --format json${more}`, {
      input: JSON.stringify({ url: `${receiver.origin}${path}`, authorization }),
    });

  it('sends a notice that says it is a test to a real receiver, once, and shows the answer', async () => {
    const { code, json } = await webhook('/planted-path');
    expect([code, json]).to.deep.equal([
      0,
      { action: 'webhook', endpoint: receiver.origin, result: 'arrived', status: 200, error: null, response: 'thanks' },
    ]);
    expect(receiver.received).to.have.length(1);
    const [{ path, headers, body } = expect.fail()] = receiver.received;
    expect([path, headers['authorization']]).to.deep.equal(['/planted-path', authorization]);
    expect(JSON.parse(body).data.reason).to.contain('this is a test');
    expect((await cli.command('delivery:list --format json')).json).to.deep.equal([]);
  });

  it('tests the list of a company that its code names', async () => {
    const lists = JSON.stringify({
      code: 'tested',
      name: 'Tested',
      on_failure: [{ action: 'webhook', url: receiver.origin }],
    });
    await cli.command('company:save --json -', { input: lists });
    const { code, json } = await cli.command('action:test --company-id tested --format json');
    expect([code, json.map(({ result }: { result: string }) => result)]).to.deep.equal([0, ['arrived']]);
    receiver.received.pop();
    expect((await cli.command('action:test --company-id tset')).err).to.match(
      /^There is no company with the code or name/,
    );
  });

  it('exits with 1 and says what a receiver that refuses answered, with secrets masked', async () => {
    const { code, out, err } = await webhook('/refuses');
    expect(code).to.equal(1);
    expect(JSON.parse(out)).to.include({ result: 'failed', status: 503 });
    expect(out).to.contain('answered with the status 503').and.contain('not now, ');
    expect(out + err).not.to.contain('planted-token');
  });

  it('refuses wrong options as a save does, and users who are no admins', async () => {
    const wrong = await cli.command('action:test webhook --set url=somewhere');
    expect(wrong.code).to.equal(1);
    expect(wrong.err).to.match(/\burl must be a complete address such as https:/);
    await cli.command('user:save --json -', { input: JSON.stringify({ login: 'eva', email: 'eva@example.com' }) });
    const denied = await webhook('/planted-path', ' --as eva');
    expect([denied.code, denied.out]).to.deep.equal([1, '']);
    expect(denied.err).to.contain('that takes the role admin');
    expect(receiver.received).to.have.length(1);
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    'runs a program as the user of the setting run_as, as a delivery does',
    async () => {
      const { json } = await cli.command(
        'action:test command --set program=/usr/bin/id --set arguments=-un --format json',
        {
          environment: { HORARIUM_RUN_AS: 'nobody' },
        },
      );
      expect(json).to.include({ result: 'arrived', response: 'nobody\n' });
    },
  );
});
