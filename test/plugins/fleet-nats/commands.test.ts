import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { writePresence } from '#core/worker/lease/agent-presence';
import { decodeCredential } from '../../../plugins/fleet-nats/wire/keys/credential.ts';
import { changeStore, runDoctor } from '../../support/program/doctor.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('The commands of agents', () => {
  let cli: TestCli;
  let keyFile: string;

  before(async () => {
    cli = new TestCli();
    keyFile = join(cli.folder, 'hosts.key');
    const options = { servers: ['nats://127.0.0.1:4222'], host_key_file: keyFile };
    Object.assign(cli.environment, {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': options }),
    });
    for (const line of ['migrate', 'company:save --code acme --name Acme', 'company:save --code beta --name Beta'])
      expect((await cli.command(line)).code, line).to.equal(0);
  });
  after(() => cli[Symbol.dispose]());

  const refusal = async (line: string) => {
    const { code, err } = await cli.command(line);
    expect(code, line).to.be.above(0);
    return err;
  };

  it('print a credential once, with its permissions, and store none of its secrets', async () => {
    const { out, err, code } = await cli.command('agent:enroll gpu1 --pool gpu --pool dmz --ttl 90d');
    expect([code, out.trim().split('\n').length]).to.deep.equal([0, 1]);
    const credential = decodeCredential(out);
    expect(credential).to.deep.include({ agent: 'gpu1', pools: ['gpu', 'dmz'], servers: ['nats://127.0.0.1:4222'] });
    expect(err).to.include('The pool gpu is new, and for the jobs of all companies');
    expect(err).to.include(credential.keys.publicKeys.texts.signing).and.include('horarium.work.dmz');
    const stored = (await cli.run(['agent:get', 'gpu1', '--format', 'json'])).out;
    expect(stored).to.include(credential.keys.publicKeys.texts.sealing);
    for (const seed of Object.values(credential.keys.seeds())) {
      expect(stored).not.to.include(seed);
      expect((await cli.command('auditlog:list --format json')).out).not.to.include(seed);
    }
    expect(existsSync(keyFile) && statSync(keyFile).mode & 0o777).to.equal(0o600);
  });

  it('let a credential be good for a time in any unit, or for ever', async () => {
    for (const [ttl, time] of [
      ['45m', 45 * 60_000],
      ['12h', 12 * 3_600_000],
      ['never', null],
    ] as const) {
      const before = Date.now();
      expect((await cli.command(`agent:enroll for-${ttl} --pool gpu --ttl ${ttl}`)).code, ttl).to.equal(0);
      const { expires_at } = (await cli.command(`agent:get for-${ttl} --format json`)).json;
      if (time === null) expect(expires_at).to.equal(null);
      else expect(Date.parse(expires_at) - time, ttl).to.be.within(before, Date.now());
      await cli.command(`agent:delete for-${ttl}`);
    }
  });

  it('print the permissions of the hosts and of the agents whose credential is good', async () => {
    await cli.command('agent:enroll gone --pool gpu');
    await cli.command('agent:revoke gone');
    const { out } = await cli.command('agent:permissions');
    expect(out.match(/^ {4}# .*/gm)?.map((line) => line.trim())).to.deep.equal(['# hosts', '# gpu1']);
  });

  it('renew the keys of an agent, which keeps its name, its pools and its state', async () => {
    const first = decodeCredential((await cli.command('agent:enroll old --pool gpu --pool dmz --ttl 90d')).out);
    await cli.command('agent:drain old');
    const { out, err, code } = await cli.command('agent:enroll old --renew --ttl 30d');
    expect(code).to.equal(0);
    const second = decodeCredential(out);
    expect(second).to.deep.include({ agent: 'old', pools: ['gpu', 'dmz'], servers: first.servers });
    const { signing, sealing } = second.keys.publicKeys.texts;
    expect(signing).not.to.equal(first.keys.publicKeys.texts.signing);
    expect(err).to.include('The old credential of old is refused from now on').and.include(signing);
    const stored = JSON.parse((await cli.run(['agent:get', 'old', '--format', 'json'])).out);
    expect(stored).to.include({ nkey: signing, xkey: sealing, state: 'draining' });
    expect(Date.parse(stored.expires_at) - Date.parse(stored.issued_at)).to.be.closeTo(30 * 86_400_000, 60_000);
    const permissions = (await cli.command('agent:permissions')).out;
    expect(permissions).to.include(signing).and.not.include(first.keys.publicKeys.texts.signing);
    const [entry] = JSON.parse((await cli.command('auditlog:list --format json --entity-type Agent')).out);
    expect(JSON.stringify(entry)).to.include(signing);
    await cli.command('agent:revoke old');
  });

  it('delete no agent that is alive, because nothing could tell it to stop', async () => {
    await cli.command('agent:enroll busy --pool gpu');
    const see = (alive: number) =>
      changeStore(cli, (store) =>
        store.transaction(async (tables) => {
          const agent = { agent: 'busy', pools: { gpu: null }, labels: {}, executors: ['native'], slots: 1 };
          await writePresence(tables, [{ ...agent, version: '0.1.0', alive_until: (await tables.now()) + alive }]);
        }),
      );
    await see(60_000);
    expect(await refusal('agent:delete busy')).to.equal(
      'The agent busy is alive or may run jobs: agent:revoke it, and delete it once worker:list does not show it.\n',
    );
    expect((await cli.command('agent:get busy')).code).to.equal(0);
    await see(-1);
    expect((await cli.command('agent:delete busy')).code).to.equal(0);
  });

  it('drain an agent until that is undone', async () => {
    const stateOf = async () => JSON.parse((await cli.command('agent:get gpu1 --format json')).out).state;
    expect((await cli.command('agent:drain gpu1')).err).to.equal('The agent gpu1 claims no further jobs.\n');
    expect(await stateOf()).to.equal('draining');
    expect((await cli.command('agent:undrain gpu1')).err).to.equal('The agent gpu1 claims jobs again.\n');
    expect(await stateOf()).to.equal('active');
  });

  it('refuse what is wrong, with a sentence, and store nothing of it', async () => {
    const before = (await cli.command('agent:list --format json')).out;
    const wrong: Readonly<Record<string, RegExp>> = {
      'agent:enroll gpu9': /^An agent runs the jobs of pools: name one by --pool\.$/m,
      'agent:enroll GPU --pool gpu': /name must be a name such as gpu1: a-z, 0-9 and dashes/,
      'agent:enroll gpu9 --pool Bad_Pool': /name must be a name such as gpu: a-z, 0-9 and dashes/,
      'agent:enroll gpu9 --pool gpu --ttl soon': /A time to live is written 45s, 15m, 12h, 90d or never, not "soon"\./,
      'agent:enroll gpu9 --pool gpu --account-seed-file /nowhere': /\/nowhere cannot be read \(ENOENT\)/,
      'agent:enroll gpu1 --pool gpu':
        /There is an agent gpu1 already: choose another name, or renew its credential by --renew\./,
      'agent:enroll nobody --renew': /There is no agent nobody to renew\./,
      'agent:enroll gpu1 --renew --pool gpu': /An agent that is renewed keeps its pools/,
      'agent:enroll gone --renew': /a revoked agent gets no other keys: enroll the machine under another name/,
      'agent:drain nobody': /nobody/,
      'agent:revoke nobody': /nobody/,
      'agent:undrain nobody': /nobody/,
      'agent:undrain gone': /state of a revoked agent stays: enroll the machine under another name/,
      [`agent:save --name gpu1 --nkey U${'A'.repeat(55)}`]: /nkey is no public key: its checksum is wrong/,
      [`agent:save --name gpu1 --xkey X${'A'.repeat(55)}`]: /xkey is no public key: its checksum is wrong/,
      'agent:save --name gone --state active': /state of a revoked agent stays: enroll the machine under another name/,
    };
    for (const [line, message] of Object.entries(wrong)) expect(await refusal(line), line).to.match(message);
    expect((await cli.command('agent:list --format json')).out).to.equal(before);
    expect(await refusal('agent:permissions --as nobody')).to.include('nobody');
  });

  it('let templates name pools that are there and for their company alone', async () => {
    await cli.command('app:save --name work --executable /bin/true');
    await cli.command('pool:save --name closed --companies beta');
    const save = (pool: string) =>
      `runtemplate:save --name ${pool} --company-id acme --app-id work --interval none --executor agent --executor-options {"pool":"${pool}"}`;
    expect(await refusal(save('gpx'))).to.include('there is no pool gpx; the pools of company 1 are dmz, gpu');
    expect(await refusal(save('closed'))).to.include(
      'the pool closed is not for jobs of company 1; the pools of company 1 are dmz, gpu',
    );
    expect((await cli.command(save('gpu'))).code).to.equal(0);
  });

  it('say which plugin the store lacks the tables of, until it has them', async () => {
    using other = new TestCli();
    expect((await other.command('migrate')).code).to.equal(0);
    const { HORARIUM_PLUGINS = '', HORARIUM_PLUGIN_OPTIONS = '' } = cli.environment;
    Object.assign(other.environment, { HORARIUM_PLUGINS, HORARIUM_PLUGIN_OPTIONS });
    const { code, err } = await other.command('agent:enroll gpu1 --pool gpu');
    const lack = 'The database lacks tables of the plugin fleet-nats, and needs 3 migrations';
    const remedy = 'Start the service once with that setting of plugins, or run "horarium migrate" with it.';
    expect([code > 0, err]).to.deep.equal([true, `${lack}. ${remedy}\n`]);
    const [database] = (await runDoctor(other)).of('database');
    expect(database).to.include({ state: 'fail', found: lack, advice: remedy });
    expect((await other.command('migrate')).err).to.include(
      'The store lacks tables of plugins (fleet-nats): 3 migrations',
    );
    expect((await other.command('agent:enroll gpu1 --pool gpu')).code).to.equal(0);
  });

  it('are not there unless the plugin is loaded', async () => {
    using plain = new TestCli();
    expect((await plain.command('agent:list')).err).to.include('agent:list');
    expect((await plain.command('pool:list')).code).to.be.above(0);
  });
});
