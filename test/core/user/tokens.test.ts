import { AuditLog, Token, trustedActor, User, UserRoles } from '@horarium/core';
import { expect } from 'chai';
import { revokeLoginTokens } from '#core/user/token';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { refusal } from '../../support/worlds/record-world.ts';

const origin = { channel: 'http', ip: '192.0.2.1', network: '192.0.2.1', requestId: 'r' } as const;
const operator = trustedActor('root on host7', 'cli');

async function errorCodeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: { code: unknown }) => error.code,
  );
}

describe('Token', () => {
  let core: MemoryCore;
  let id: number;

  beforeEach(async () => {
    core = new MemoryCore();
    id = await core.addUser('ann', 'a good password', 'viewer');
  });

  const issue = (ttl: number | null = null) => core.tokens.issue(operator, { login: 'ann', name: 'ci', ttl });
  const signInErrorOf = (secret: string) => errorCodeOf(core.signIn.withToken(secret, origin));

  it('has 256 random bits after a prefix, so that no two are equal', async () => {
    const secrets = await Promise.all([1, 2, 3].map(async () => (await issue()).secret));
    for (const secret of secrets) expect(secret).to.match(/^hor_[A-Za-z0-9_-]{43}$/);
    expect(new Set(secrets).size).to.equal(3);
  });

  it('is stored as a hash only, and leaves neither token nor hash in the audit log', async () => {
    const { secret, row } = await issue();
    const [stored, entries] = await core.store.read(async (tables) => [
      await tables.of(Token).find(),
      await tables.of(AuditLog).find({ where: [['entity_type', '=', 'Token']] }),
    ]);
    expect(stored[0]?.hash).to.equal(core.digests.sha256(secret));
    expect(JSON.stringify(stored)).not.to.include(secret);
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ action: 'create', entity_id: row.id, actor: 'root on host7', channel: 'cli' });
    expect(JSON.stringify(entries)).not.to.include(secret).and.not.to.include(stored[0]?.hash);
  });

  it('authenticates its user until it expires by the clock of the store', async () => {
    const { secret, row } = await issue(5000);
    const { actor, user, tokenId } = await core.signIn.withToken(secret, origin);
    expect(actor).to.deep.include({ ...origin, name: 'ann', userId: id, roles: new Set(['viewer']) });
    expect([user.login, tokenId]).to.deep.equal(['ann', row.id]);
    core.clock.advance(5001);
    expect(await signInErrorOf(secret)).to.equal('unauthenticated');
  });

  it('of a login is revoked when there are a thousand newer ones', async () => {
    const { actor } = await core.signIn.withToken((await issue()).secret, origin);
    const oldest = await core.tokens.issueForLogin(actor);
    const next = await core.tokens.issueForLogin(actor);
    for (let issued = 2; issued < 1000; issued += 1) await core.tokens.issueForLogin(actor);
    expect(await signInErrorOf(oldest.secret)).to.equal(undefined);
    await core.tokens.issueForLogin(actor);
    expect(await signInErrorOf(oldest.secret)).to.equal('unauthenticated');
    expect(await signInErrorOf(next.secret)).to.equal(undefined);
  });

  it('is rejected once it is revoked or its user is disabled', async () => {
    const revoked = await issue();
    const valid = await issue();
    await core.tokens.revoke(operator, revoked.row.id);
    expect(await signInErrorOf(revoked.secret)).to.equal('unauthenticated');
    expect(await signInErrorOf(valid.secret)).to.equal(undefined);
    await core.changeUser(id, { enabled: false });
    expect(await signInErrorOf(valid.secret)).to.equal('unauthenticated');
    const revokedTwice = await core.tokens.revoke(operator, revoked.row.id);
    expect(revokedTwice.revoked_at).to.be.a('number');
  });

  it('is listed for its user or among all, unless it is revoked', async () => {
    await core.addUser('bob', 'another password');
    const anns = await issue();
    const bobs = await core.tokens.issue(operator, { login: 'bob', name: null, ttl: null });
    const revoked = await issue();
    await core.tokens.revoke(operator, revoked.row.id);
    const ids = (rows: { id: number }[]) => rows.map((row) => row.id);
    expect(ids(await core.tokens.list(operator))).to.deep.equal([anns.row.id, bobs.row.id]);
    expect(ids(await core.tokens.list(operator, 'ann'))).to.deep.equal([anns.row.id]);
    expect(await errorCodeOf(core.tokens.list(operator, 'unknown'))).to.equal('not_found');
    const { actor } = await core.signIn.withToken(anns.secret, origin);
    expect(ids(await core.tokens.list(actor))).to.deep.equal([anns.row.id]);
  });

  it('is listed for its user where it signs in, the one that was used last first, and revoked as an own one', async () => {
    core.clock.stop();
    const [first, second, short, revoked] = [await issue(), await issue(), await issue(1000), await issue()];
    await core.tokens.revoke(operator, revoked.row.id);
    core.clock.advance(60_000);
    const { actor } = await core.signIn.withToken(first.secret, origin);
    const listed = async () => (await core.tokens.listOwn(actor)).map((row) => row.id);
    expect(await listed()).to.deep.equal([first.row.id, second.row.id]);
    await core.addUser('root', 'a good password');
    const { actor: admin } = await core.signIn.withPassword('root', 'a good password', origin);
    const revokeAs = (who: typeof actor, tokenId: number) =>
      errorCodeOf(core.store.transaction(who, (tables) => core.tokens.revokeOwnIn(tables, who, tokenId)));
    expect(await revokeAs(admin, second.row.id)).to.equal('not_found');
    expect(await revokeAs(operator, second.row.id)).to.equal('not_found');
    expect(await revokeAs(actor, second.row.id)).to.equal(undefined);
    expect(await revokeAs(actor, short.row.id)).to.equal(undefined);
    expect(await listed()).to.deep.equal([first.row.id]);
    expect(await signInErrorOf(second.secret)).to.equal('unauthenticated');
  });

  it('is issued and revoked for another user by admins only', async () => {
    await core.addUser('bob', 'another password');
    const bobs = await core.tokens.issue(operator, { login: 'bob', name: null, ttl: null });
    const { actor } = await core.signIn.withToken((await issue()).secret, origin);
    expect(await errorCodeOf(core.tokens.issue(actor, { login: 'bob', name: null, ttl: null }))).to.equal('denied');
    expect(await errorCodeOf(core.tokens.revoke(actor, bobs.row.id))).to.equal('not_found');
    expect(await signInErrorOf(bobs.secret)).to.equal(undefined);
    expect(await errorCodeOf(core.tokens.issue(operator, { login: 'unknown', name: null, ttl: null }))).to.equal(
      'not_found',
    );
    expect(await errorCodeOf(core.tokens.revoke(operator, 999))).to.equal('not_found');
  });

  it('is reported as missing to users who may not see it, and its user to those who may not see the user', async () => {
    await core.addUser('chief', 'another password');
    await core.addUser('guest', 'a third password', null);
    const chiefs = await core.tokens.issue(operator, { login: 'chief', name: null, ttl: null });
    const guests = await core.tokens.issue(operator, { login: 'guest', name: null, ttl: null });
    const { actor } = await core.signIn.withToken(guests.secret, origin);
    const messageOf = async (work: Promise<unknown>) => (await refusal(work)).message;
    const { id } = chiefs.row;
    const foreign = await messageOf(core.tokens.revoke(actor, id));
    expect(foreign.replace(String(id), '999')).to.equal(await messageOf(core.tokens.revoke(actor, 999)));
    const ofLogin = (login: string) => [
      core.tokens.issue(actor, { login, name: null, ttl: null }),
      core.tokens.list(actor, login),
    ];
    for (const [index, ofChief] of ofLogin('chief').entries()) {
      const missing = ofLogin('missing');
      const messages = await Promise.all([ofChief, ...missing].map(messageOf));
      expect(messages[0]?.replace('chief', 'missing')).to.equal(messages[index + 1]);
    }
    expect(await signInErrorOf(chiefs.secret)).to.equal(undefined);
  });

  it('is listed for admins also where only a super_admin may revoke it', async () => {
    await core.addUser('chief', 'another password');
    await core.addUser('clerk', 'a third password', 'admin');
    const chiefs = await core.tokens.issue(operator, { login: 'chief', name: null, ttl: null });
    const clerks = await core.tokens.issue(operator, { login: 'clerk', name: null, ttl: null });
    const { actor } = await core.signIn.withToken(clerks.secret, origin);
    expect((await core.tokens.list(actor)).map((row) => row.id)).to.deep.equal([chiefs.row.id, clerks.row.id]);
    expect(await errorCodeOf(core.tokens.revoke(actor, chiefs.row.id))).to.equal('denied');
  });

  it('records its last use at most every ten minutes, without a new revision', async () => {
    const { secret, row } = await issue();
    const useToken = async () => {
      await core.signIn.withToken(secret, origin);
      return core.store.read(async (tables) => (await tables.of(Token).find({ where: [['id', '=', row.id]] }))[0]);
    };
    const first = await useToken();
    expect(first?.last_used_at).to.be.a('number');
    expect(first?.revision).to.equal(1);
    core.clock.advance(60_000);
    expect((await useToken())?.last_used_at).to.equal(first?.last_used_at);
    core.clock.advance(10 * 60_000);
    expect((await useToken())?.last_used_at).to.be.above(first?.last_used_at as number);
  });

  it('is revoked with a changed password if a login issued it, but not if the command line did', async () => {
    const cliToken = await issue();
    const { actor } = await core.signIn.withPassword('ann', 'a good password', origin);
    const loginToken = await core.tokens.issueForLogin(actor);
    const [before] = await core.store.read((tables) => tables.of(User).find({ where: [['id', '=', id]] }));
    expect(before?.last_login_at).to.be.a('number');
    const change = (after: object) =>
      core.store.transaction(operator, (tables) =>
        revokeLoginTokens({ before, after: { ...before, ...after } as never }, tables),
      );
    await change({ first_name: 'Ann' });
    expect(await signInErrorOf(loginToken.secret)).to.equal(undefined);
    await change({ password: 'another hash' });
    expect(await signInErrorOf(loginToken.secret)).to.equal('unauthenticated');
    expect(await signInErrorOf(cliToken.secret)).to.equal(undefined);
  });

  it('grants no role that has expired', async () => {
    const { secret } = await issue();
    await core.store.transaction(operator, async (tables) => {
      const [role] = await tables.of(UserRoles).find({ where: [['user_id', '=', id]] });
      const set = { expires_at: core.clock.now() + 1000 };
      await tables.of(UserRoles).update([{ row: role as NonNullable<typeof role>, set }]);
    });
    expect((await core.signIn.withToken(secret, origin)).actor.roles.size).to.equal(1);
    core.clock.advance(1001);
    expect((await core.signIn.withToken(secret, origin)).actor.roles.size).to.equal(0);
  });
});
