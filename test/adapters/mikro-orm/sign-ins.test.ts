import { Company, CompanyUser, SignIn, systemClock, trustedActor, User, UserRoles, type UserRow } from '@horarium/core';
import { NodeDigests } from '@horarium/core/node';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { pipeline } from '#core/store/pipeline';
import { QueryCache } from '#core/store/query-cache';
import { readById } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { revokeLoginTokens } from '#core/user/token';
import { Tokens } from '#core/user/tokens';
import { QuickHasher } from '../../support/secrets/quick-hasher.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { addUser } from '../../support/store/add-user.ts';
import { type SharedStores, sharedStoreKinds } from '../../support/store/shared-stores.ts';

const visit = { channel: 'http', ip: '192.0.2.1', network: '192.0.2.1', requestId: 'r' } as const;
const root = trustedActor('root on host7', 'cli');

for (const [kind, open] of Object.entries(sharedStoreKinds))
  describe(`A sign-in that two hosts have cached, on ${kind}`, () => {
    const digests = new NodeDigests();
    const passwordHasher = new QuickHasher();
    let shared: SharedStores;
    let store: AuditedStore;
    let tokens: Tokens;
    let here: SignIn;
    let there: SignIn;

    before(async () => {
      shared = await open();
      const [one, other] = shared.stores.map(
        (each) => new AuditedStore(pipeline(each, [new QueryCache().concern]), testSigner),
      ) as [AuditedStore, AuditedStore];
      const loginThrottle = { begin: async () => undefined, succeed: async () => undefined };
      const signIn = (of: AuditedStore) =>
        new SignIn({
          store: of,
          passwordHasher,
          digests,
          clock: systemClock,
          loginThrottle: loginThrottle as never,
          events: {},
        });
      [here, there] = [signIn(one), signIn(other)];
      store = one;
      tokens = new Tokens({ store: one, digests, loginTtl: 60_000 });
    });
    after(() => shared.close());

    /** A user whose token and password have been shown to both hosts, more than once. */
    async function known(login: string) {
      const id = await addUser(store, {
        login,
        password: await passwordHasher.hash('a good password'),
        role: 'viewer',
      });
      const { secret, row } = await tokens.issue(root, { login, name: null, ttl: null });
      const ways = [
        () => there.withToken(secret, visit),
        () => there.withPassword(login, 'a good password', visit),
        () => here.withToken(secret, visit),
      ];
      for (const way of [...ways, ...ways]) expect((await way()).actor.name).to.equal(login);
      return { id, token: row, ways };
    }

    /** Changes a user, with what follows from it for the tokens. */
    const change = (id: number, set: Partial<UserRow>) =>
      store.transaction(root, async (tables) => {
        const before = await readById(tables, User, id);
        await tables.of(User).update([{ row: before, set }]);
        await revokeLoginTokens({ before, after: { ...before, ...set } }, tables);
      });

    const codes = (ways: readonly (() => Promise<unknown>)[]) =>
      Promise.all(
        ways.map((way) =>
          way().then(
            () => 'in',
            ({ code }) => code,
          ),
        ),
      );

    /** A user whose session has been shown to both hosts. */
    async function inSession(login: string) {
      const id = await addUser(store, {
        login,
        password: await passwordHasher.hash('a good password'),
        role: 'viewer',
      });
      const signedIn = await here.withPassword(login, 'a good password', visit);
      const issue = (replaced: string | null) => tokens.issueSession(signedIn, { name: 'Firefox on Linux', replaced });
      const { secret, row } = await issue(null);
      const ways = [() => there.withSession(secret, visit), () => here.withSession(secret, visit)];
      expect(await codes([...ways, ...ways])).to.deep.equal(['in', 'in', 'in', 'in']);
      return { id, secret, row, ways, issue };
    }

    for (const [how, end] of [
      ['it is revoked', ({ row }) => tokens.revoke(root, row.id)],
      ['its user is disabled', ({ id }) => change(id, { enabled: false })],
      ['the password is changed', ({ id }) => change(id, { password: 'another hash' })],
      ['another one replaces it', ({ issue, secret }) => issue(secret)],
    ] as const satisfies readonly [string, (session: Awaited<ReturnType<typeof inSession>>) => Promise<unknown>][])
      it(`ends for a session on both when ${how} on one`, async () => {
        const session = await inSession(`session ${how}`.replaceAll(' ', '-'));
        await end(session);
        expect(await codes(session.ways)).to.deep.equal(['unauthenticated', 'unauthenticated']);
        await change(session.id, { enabled: true });
        expect(await codes(session.ways)).to.deep.equal(['unauthenticated', 'unauthenticated']);
      });

    it('begins no session for a password that was changed, or a user who was disabled, since it was verified', async () => {
      const password = await passwordHasher.hash('a good password');
      for (const [login, set] of [
        ['fay', { password: await passwordHasher.hash('another good password') }],
        ['gil', { enabled: false }],
      ] as const) {
        const id = await addUser(store, { login, password, role: 'viewer' });
        const signedIn = await there.withPassword(login, 'a good password', visit);
        await change(id, set);
        const issue = () => tokens.issueSession(signedIn, { name: 'Browser', replaced: null });
        expect(await codes([issue])).to.deep.equal(['conflict']);
      }
    });

    it('takes no session for a token, nor a token for a session, cached or not', async () => {
      const { secret } = await inSession('eve');
      const { secret: token } = await tokens.issue(root, { login: 'eve', name: null, ttl: null });
      expect((await here.withToken(token, visit)).actor.name).to.equal('eve');
      const mistaken = [
        () => here.withToken(secret, visit),
        () => there.withToken(secret, visit),
        () => here.withSession(token, visit),
        () => there.withSession(token, visit),
      ];
      expect(await codes(mistaken)).to.deep.equal(mistaken.map(() => 'unauthenticated'));
    });

    it('ends on both when its token is revoked on one', async () => {
      const { token, ways } = await known('ann');
      await tokens.revoke(root, token.id);
      expect(await codes(ways)).to.deep.equal(['unauthenticated', 'in', 'unauthenticated']);
    });

    it('ends on both when the user is disabled on one, and works again once enabled', async () => {
      const { id, ways } = await known('ben');
      for (const [enabled, code] of [
        [false, 'unauthenticated'],
        [true, 'in'],
      ] as const) {
        await change(id, { enabled });
        expect(await codes(ways)).to.deep.equal([code, code, code]);
      }
    });

    it('ends on both when the password is changed on one', async () => {
      const { id, ways } = await known('cat');
      const password = await passwordHasher.hash('another good password');
      await change(id, { password });
      expect(await codes(ways)).to.deep.equal(['in', 'unauthenticated', 'in']);
    });

    it('carries the current roles and memberships', async () => {
      const { id, ways } = await known('dan');
      const companyId = await store.transaction(root, async (tables) => {
        const [company] = await tables.of(Company).insert([newRow(Company, { code: 'dans', name: 'Dan' })]);
        await tables
          .of(CompanyUser)
          .insert([newRow(CompanyUser, { user_id: id, company_id: company as number, role: 'operator' })]);
        await tables.of(UserRoles).delete([['user_id', '=', id]]);
        return company as number;
      });
      for (const way of ways) {
        const { actor } = await way();
        expect([...actor.roles]).to.deep.equal([]);
        expect([...actor.memberships]).to.deep.equal([[companyId, 'operator']]);
      }
    });
  });
