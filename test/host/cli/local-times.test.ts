import { expect } from 'chai';
import { shownTime } from '../../../host/cli/shown/times.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const tokyo = { environment: { TZ: 'Asia/Tokyo' }, timezone: 'Asia/Tokyo' };

describe('A time for people', () => {
  it('is local, with the offset that it has then', () => {
    expect(shownTime(Date.parse('2026-10-25T00:30:00Z'), 'Europe/Prague')).to.equal('2026-10-25 02:30:00+02:00');
    expect(shownTime(Date.parse('2026-10-25T01:30:00Z'), 'Europe/Prague')).to.equal('2026-10-25 02:30:00+01:00');
    expect(shownTime(Date.parse('2026-01-01T00:00:00Z'), 'America/St_Johns')).to.equal('2025-12-31 20:30:00-03:30');
    expect(shownTime(Date.parse('2026-01-01T00:00:00.999Z'), 'UTC')).to.equal('2026-01-01 00:00:00Z');
  });

  it('is UTC where its zone would leave the years that can be written', () => {
    expect(shownTime(Date.parse('9999-12-31T23:59:59.999Z'), 'Asia/Tokyo')).to.equal('9999-12-31 23:59:59Z');
  });
});

describe('The times of commands', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command(
      'app:save --name a --executable true --set environment={"since":{"default":"2026-01-01T00:00:00Z"}}',
    );
    await cli.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval daily --active true');
    await cli.run(['pause', '--all', '--from', '2098-01-01 12:00', '--for', '1h', '--reason', 'x']);
  });
  after(() => cli[Symbol.dispose]());

  const startOf = (out: string) => /^starts_at +(.*)$/m.exec(out)?.[1];

  it('are those of the service, of TZ where it is set, and of UTC with --utc', async () => {
    expect(startOf((await cli.command('pause:get 1')).out)).to.equal('2098-01-01 12:00:00+01:00');
    expect(startOf((await cli.command('pause:get 1', tokyo)).out)).to.equal('2098-01-01 20:00:00+09:00');
    expect(startOf((await cli.command('pause:get 1 --utc', tokyo)).out)).to.equal('2098-01-01 11:00:00Z');
  });

  it('are those of the zone of the settings file', async () => {
    const { out } = await cli.command('pause:get 1', { environment: { HORARIUM_TIMEZONE: 'America/New_York' } });
    expect(startOf(out)).to.equal('2098-01-01 06:00:00-05:00');
  });

  it('stand in the columns of lists and in sentences, too', async () => {
    expect((await cli.command('pause:list --fields starts_at', tokyo)).out).to.equal(
      'starts_at\n2098-01-01 20:00:00+09:00\n',
    );
    const simulated = await cli.command('simulate --from 2027-01-01 --to 2027-01-02 --utc');
    expect(simulated.out.split('\n')[1]).to.match(
      /^2026-12-31 23:00:00Z {7}2026-12-31 23:00:00Z {7}2027-01-01 23:00:00Z /,
    );
    expect(simulated.err).to.equal('1 runs of 1 run templates from 2026-12-31 23:00:00Z to 2027-01-01 23:00:00Z.\n');
    expect((await cli.command('runtemplate:run 1 --at 2099-01-01T00:00:00Z')).err).to.contain(
      'is due at 2099-01-01 01:00:00+01:00;',
    );
  });

  it('stand in the reasons of records and in the refusals of commands, too', async () => {
    using paused = new TestCli();
    await paused.command('migrate');
    await paused.command('company:save --code acme --name Acme');
    await paused.command('app:save --name a --executable true');
    await paused.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval daily');
    expect((await paused.command('runtemplate:run t')).code).to.equal(0);
    await paused.run(['pause', '--all', '--until', '2098-01-01 12:00', '--reason', 'at 2026-01-01T00:00:00Z']);
    const sentence = (until: string) =>
      `paused by tester on bench until ${until}: at 2026-01-01T00:00:00Z`.replace(/[+]/g, '\\+');
    const local = new RegExp(sentence('2098-01-01 20:00:00+09:00'));
    expect((await paused.command('job:get 1', tokyo)).out).to.match(local);
    const refused = await paused.command('runtemplate:run t', tokyo);
    expect(refused).to.include({ code: 1, out: '' });
    expect(refused.err).to.match(local);
    expect((await paused.command('runtemplate:run t --utc', tokyo)).err).to.contain('until 2098-01-01 11:00:00Z: ');
    expect((await paused.command('job:get 1 --format json')).json.waiting_reason).to.contain(
      '2098-01-01T11:00:00.000Z',
    );
  });

  it('stay as they are in names that a refusal quotes or suggests', async () => {
    using named = new TestCli();
    await named.command('migrate');
    await named.run(['company:save', '--code', 'acme', '--name', 'n 2027-01-01T00:00:00.000Z']);
    const { err } = await named.run(['company:get', 'm 2027-01-01T00:00:00.000Z'], tokyo);
    expect(err).to.contain('“m 2027-01-01T00:00:00.000Z”').and.to.contain('n 2027-01-01T00:00:00.000Z?');
  });

  it('are taken by the options for times as they are shown', async () => {
    const list = (from: string) => cli.run(['task:list', `--from=${from}`]);
    for (const from of ['2027-01-01 20:00:00+09:00', '2027-01-01 11:00:00Z'])
      expect(await list(from)).to.include({ code: 0 });
  });

  it('stay RFC 3339 in UTC for programs', async () => {
    for (const line of ['pause:list --format json', 'pause:list --format json --utc'])
      expect((await cli.command(line, tokyo)).json[0].starts_at).to.match(utc);
    for (const format of ['csv', 'yaml'])
      expect((await cli.command(`pause:get 1 --format ${format}`, tokyo)).out).to.contain('2098-01-01T11:00:00.000Z');
  });

  it('leave texts that are no times of the service as they are', async () => {
    expect((await cli.command('app:get 1', tokyo)).out).to.contain('2026-01-01T00:00:00Z');
  });

  it('name their zone once where the sentences of summary and why have no offset', async () => {
    for (const line of ['summary', 'why t']) {
      expect((await cli.command(line)).out, line).to.match(/00:00.*\nTimes are in Europe\/Prague\.\n$/s);
      expect((await cli.command(`${line} --utc`)).out, line).to.match(/23:00.*\nTimes are in UTC\.\n$/s);
      expect(JSON.parse((await cli.command(`${line} --format json --utc`)).out).timezone, line).to.equal(
        'Europe/Prague',
      );
    }
  });

  it('of a preview are those of the template, which names its zone', async () => {
    const shown = await cli.command('preview t --from 2027-01-01 --limit 1', tokyo);
    expect(shown.out).to.match(/\n2027-01-01 00:00:00\+01:00 /);
    expect(shown.err).to.equal('Times are in Europe/Prague.\n');
    const inUtc = await cli.command('preview t --from 2027-01-01 --limit 1 --utc', tokyo);
    expect(inUtc.out).to.match(/\n2026-12-31 23:00:00Z /);
    expect(inUtc.err).to.equal('Times are in UTC.\n');
  });
});
