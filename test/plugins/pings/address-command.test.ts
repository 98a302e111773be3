import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('runtemplate:ping', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli(undefined, { HORARIUM_PUBLIC_URL: 'https://jobs.example.com' });
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name a --executable true');
    const template = 'runtemplate:save --company-id 1 --app-id 1 --interval daily --name';
    await cli.command(`${template} nas --code nas --executor external`);
    await cli.command(`${template} own --code own`);
  });
  after(() => cli[Symbol.dispose]());

  const since = async () => (await cli.command('runtemplate:get nas --format json')).json.pings_since;

  it('gives a template an address, once, and another one in its place', async () => {
    const first = await cli.command('runtemplate:ping nas --format json');
    expect(first.json.ping_url).to.match(/^https:\/\/jobs\.example\.com\/ping\/[0-9a-f-]{36}$/);
    expect(first.err).to.equal('It is shown only once: anyone who knows it can report for the template.\n');
    expect(Date.parse(await since())).to.be.a('number').and.not.NaN;
    const second = await cli.command('runtemplate:ping nas --format json');
    expect(second.json.ping_url).not.to.equal(first.json.ping_url);
  });

  it('takes the address away', async () => {
    const { code, out, err } = await cli.command('runtemplate:ping nas --revoke');
    expect([code, out, err]).to.deep.equal([0, '', 'RunTemplate 1 has no ping address any more.\n']);
    expect(await since()).to.equal(null);
  });

  it('refuses a template whose jobs the service starts', async () => {
    const { code, err } = await cli.command('runtemplate:ping own');
    expect(code).to.equal(1);
    expect(err).to.contain('RunTemplate 2 has the executor native: only jobs done elsewhere are pinged.');
  });

  it('is for those who may change the template', async () => {
    const input = JSON.stringify({ login: 'mary', password: 'correct horse battery', email: 'mary@example.com' });
    await cli.command('user:save --json -', { input });
    await cli.command('companyuser:save --company-id acme --login mary --role viewer');
    for (const options of ['', ' --revoke']) {
      const { code, err } = await cli.command(`runtemplate:ping nas${options} --as mary`);
      expect(code).to.equal(1);
      expect(err).to.match(/^mary may not update /);
    }
  });
});
