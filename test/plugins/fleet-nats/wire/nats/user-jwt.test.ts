import { jetstream } from '@nats-io/jetstream';
import { decode, encodeAccount, encodeOperator, type User } from '@nats-io/jwt';
import { createAccount, createOperator } from '@nats-io/nkeys';
import { errors } from '@nats-io/transport-node';
import { expect } from 'chai';
import { PrivateKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';
import { connectNats } from '../../../../../plugins/fleet-nats/wire/nats/connect-nats.ts';
import { agentPermissions, hostPermissions } from '../../../../../plugins/fleet-nats/wire/nats/permissions.ts';
import { ensureStreams } from '../../../../../plugins/fleet-nats/wire/nats/streams.ts';
import { type OperatorAccount, signUserJwt } from '../../../../../plugins/fleet-nats/wire/nats/user-jwt.ts';
import { Subjects } from '../../../../../plugins/fleet-nats/wire/subjects.ts';
import { rejectionOf } from '../../../../support/mocha/rejection-of.ts';
import { natsServer, TestNats } from '../../../../support/nats/test-nats.ts';

const subjects = new Subjects('horarium');
const account = createAccount();
const signingKey = createAccount();
const seedOf = (pair: typeof account) => Buffer.from(pair.getSeed()).toString();
const byAccount: OperatorAccount = { seed: seedOf(account), account: null };
const bySigningKey: OperatorAccount = { seed: seedOf(signingKey), account: account.getPublicKey() };

const agent = (name: string, keys: PrivateKeys) => ({
  name,
  nkey: keys.publicKeys.texts.signing,
  permissions: agentPermissions(subjects, name, ['gpu']),
});

describe('The JWT of a user', () => {
  const keys = PrivateKeys.generate();

  it('has the permissions of the agent and nothing else', async () => {
    const { sub, iss, name, exp, nats } = decode<User>(await signUserJwt(agent('anna', keys), byAccount, null));
    expect([sub, iss, name, exp]).to.deep.equal([
      keys.publicKeys.texts.signing,
      account.getPublicKey(),
      'anna',
      undefined,
    ]);
    const { publish, subscribe } = agentPermissions(subjects, 'anna', ['gpu']);
    expect([nats.pub, nats.sub, nats.resp]).to.deep.equal([{ allow: publish }, { allow: subscribe }, undefined]);
  });

  it('names the account where a signing key of it signs, and when it expires', async () => {
    const { iss, exp, nats } = decode<User>(await signUserJwt(agent('anna', keys), bySigningKey, 2_000_000_000));
    expect([iss, nats.issuer_account, exp]).to.deep.equal([
      signingKey.getPublicKey(),
      account.getPublicKey(),
      2_000_000_000,
    ]);
  });

  const seedSentence = 'The seed of the NATS account is wrong: it must be an NKey that begins with SA.';
  for (const [what, operator, sentence] of [
    ['a seed of a user', { seed: keys.seeds().signing, account: null }, seedSentence],
    ['a seed that was changed', { seed: `${seedOf(account).slice(0, -1)}!`, account: null }, seedSentence],
    ['no seed', { seed: '', account: null }, seedSentence],
    [
      'an account that is none',
      { ...bySigningKey, account: 'ABC' },
      'The NATS account is wrong: it must be an NKey that begins with A.',
    ],
  ] as const)
    it(`is refused with ${what}`, async () => {
      expect((await rejectionOf(signUserJwt(agent('anna', keys), operator, null))).message).to.equal(sentence);
    });
});

describe('NATS in operator mode (HORARIUM_TEST_NATS_SERVER)', () => {
  const operator = createOperator();
  const system = createAccount();
  const [anna, hosts] = [PrivateKeys.generate(), PrivateKeys.generate()];
  const tls = { ca: null, certificate: null, key: null };
  const connections = { conn: -1, subs: -1, data: -1, payload: -1 };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  let server: TestNats;

  /** @param revoked the public key of a user who is not let in. */
  function accountJwt(revoked?: string): Promise<string> {
    const soon = Math.floor(Date.now() / 1000) + 60;
    const details = {
      limits: { ...connections, ...storage } as never,
      signing_keys: [signingKey.getPublicKey()],
      ...(revoked && { revocations: { [revoked]: soon } }),
    };
    return encodeAccount('horarium', account, details, { signer: operator });
  }

  async function configuration(): Promise<string> {
    const systemJwt = await encodeAccount('system', system, { limits: connections as never }, { signer: operator });
    return [
      `operator: ${await encodeOperator('test', operator, { system_account: system.getPublicKey() })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: { type: full, dir: "./jwt" }',
      `resolver_preload: { ${account.getPublicKey()}: ${await accountJwt()}, ${system.getPublicKey()}: ${systemJwt} }`,
    ].join('\n');
  }

  /** Gives the server another JWT of the account, as `nsc push` does. */
  async function push(jwt: string): Promise<void> {
    const keys = PrivateKeys.generate();
    const permissions = { publish: ['$SYS.REQ.CLAIMS.UPDATE'], subscribe: ['_INBOX.>'] };
    const user = { name: 'admin', nkey: keys.publicKeys.texts.signing, permissions };
    const admin = await signUserJwt(user, { seed: seedOf(system), account: null }, null);
    const connection = await connect('admin', keys, '_INBOX', admin);
    expect((await connection.request('$SYS.REQ.CLAIMS.UPDATE', jwt)).string()).to.include('jwt updated');
    await connection.close();
  }

  before(async function () {
    if (natsServer === undefined) this.skip();
    server = await TestNats.start(await configuration());
  });

  after(() => server?.close());

  const connect = (name: string, keys: PrivateKeys, inbox: string, jwt: string) =>
    connectNats({ name, servers: [server.url], keys, jwt, inbox, tls });
  const connectAnna = async (issuer: OperatorAccount, expiresAt: number | null = null) =>
    connect('agent anna', anna, subjects.inbox('anna'), await signUserJwt(agent('anna', anna), issuer, expiresAt));

  it('lets agents do what they may and nothing else, by the account or a signing key of it', async () => {
    const user = { name: 'hosts', nkey: hosts.publicKeys.texts.signing, permissions: hostPermissions(subjects) };
    const host = await connect('host test', hosts, subjects.hostsInbox, await signUserJwt(user, byAccount, null));
    await ensureStreams(host, subjects, { maxReportBytes: 1_000_000, replicas: 1 });
    for (const issuer of [byAccount, bySigningKey]) {
      const connection = await connectAnna(issuer);
      const { stream } = await jetstream(connection).publish(subjects.report('anna'), 'a report');
      expect(stream).to.equal(subjects.reportsStream);
      const refusals = connection.status()[Symbol.asyncIterator]();
      connection.publish(subjects.report('berta'), 'a report');
      connection.subscribe(subjects.work('cpu'), { callback: () => undefined });
      for (const subject of ['horarium.report.berta', 'horarium.work.cpu'])
        expect((await refusals.next()).value.error)
          .to.be.instanceOf(errors.PermissionViolationError)
          .with.property('subject', subject);
      await connection.close();
    }
    await host.close();
  });

  it('refuses a JWT that has expired', async () => {
    expect((await rejectionOf(connectAnna(byAccount, 1_000_000_000))).message).to.equal(
      `The NATS server ${server.url} does not let the agent anna in: its credential is refused, because the server has no such user, or the user was revoked or has expired.`,
    );
  });

  it('refuses the JWT of another account', async () => {
    const other: OperatorAccount = { seed: seedOf(createAccount()), account: null };
    expect((await rejectionOf(connectAnna(other))).message).to.include('its credential is refused');
  });

  it('refuses an agent that is revoked in the account', async () => {
    const connection = await connectAnna(byAccount);
    const closed = (async () => {
      for await (const { type } of connection.status()) if (type === 'disconnect') return;
    })();
    await push(await accountJwt(anna.publicKeys.texts.signing));
    await closed;
    expect((await rejectionOf(connectAnna(byAccount))).message).to.include('its credential is refused');
    await connection.close();
  });
});
