import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('A time span', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name a --executable true');
    await cli.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval none');
  });
  after(() => cli[Symbol.dispose]());

  const fields = ['timeout', 'delay', 'jitter', 'retry_delay', 'retry_max_delay'];

  it('of a record is taken with a unit and as seconds, shown with its unit, and in seconds to programs', async () => {
    for (const [given, shown, seconds] of [
      ['90', '90s', 90],
      ['30s', '30s', 30],
      ['5m', '5m', 300],
      ['2h', '2h', 7200],
      ['1d', '1d', 86_400],
    ] as const) {
      const options = fields.map((name) => `--${name.replaceAll('_', '-')} ${given}`).join(' ');
      const { code, out } = await cli.command(`runtemplate:save --id 1 ${options}`);
      expect(code, given).to.equal(0);
      const { json } = await cli.command('runtemplate:get 1 --format json');
      for (const name of fields) {
        expect(out, given).to.match(new RegExp(`^${name} +${shown}$`, 'm'));
        expect(json[name], `${name} ${given}`).to.equal(seconds);
      }
    }
    const { out } = await cli.command('runtemplate:list --fields id,timeout');
    expect(out).to.equal('id  timeout\n1   1d\n');
    expect((await cli.command('runtemplate:list --fields timeout --format csv')).out).to.equal('timeout\r\n86400\r\n');
  });

  it('of a pause, a token and a setting is taken so too', async () => {
    for (const given of ['90s', '5m', '2h', '1d']) {
      expect(await cli.command(`pause --all --reason x --for ${given}`), given).to.include({ code: 0 });
      expect(await cli.command('resume --all')).to.include({ code: 0 });
      expect(await cli.command(`token:generate --user admin --ttl ${given}`), given).to.include({ code: 0 });
      expect(await cli.command(`config --login-ttl ${given} --shutdown-grace ${given}`), given).to.include({ code: 0 });
    }
  });
});
