import { AuditLog, Token, type TokenRow, trustedActor, User } from '@horarium/core';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { ExpiredBookkeeping } from '#core/retention/expired-bookkeeping';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { expiredTokens } from '#core/user/expired-tokens';
import { eventually } from '../../support/mocha/eventually.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const day = 86_400_000;
const operator = trustedActor('test');

for (const [kind, open] of Object.entries(storeKinds))
  describe(`Tokens with which no user can sign in, in ${kind}`, () => {
    let opened: OpenedStore;
    let store: AuditedStore;
    let user_id: number;

    beforeEach(async () => {
      opened = await open();
      store = new AuditedStore(opened.store, testSigner);
      user_id = await store.transaction(operator, (tables) =>
        insertOne(tables.of(User), newRow(User, { login: 'ann', email: 'ann@example.com' })),
      );
    });
    afterEach(() => opened.close());

    const now = () => store.read((tables) => tables.now());
    const add = (given: Partial<TokenRow>) =>
      store.transaction(operator, (tables) => {
        const fields = { user_id, kind: 'session', hash: crypto.randomUUID(), ...given } as const;
        return insertOne(tables.of(Token), newRow(Token, fields));
      });
    const ids = async () => (await store.read((tables) => tables.of(Token).find())).map(({ id }) => id);
    const bookkeeping = () => new ExpiredBookkeeping(store, [expiredTokens]);

    it('are deleted a month after they expired or were revoked, of every kind, and all others stay', async () => {
      const at = await now();
      const [long, short] = [at - 31 * day, at - 29 * day];
      await add({ expires_at: long });
      await add({ expires_at: at + day, revoked_at: long });
      await add({ kind: 'login', expires_at: long, revoked_at: long });
      await add({ kind: 'cli', expires_at: null, revoked_at: long });
      const kept = [
        await add({ expires_at: short }),
        await add({ expires_at: at + day, revoked_at: short }),
        await add({ expires_at: at + day }),
        await add({ kind: 'cli', expires_at: null }),
      ];
      expect(await bookkeeping().tick()).to.be.above(0);
      expect(await ids()).to.deep.equal(kept);
    });

    it('have their entries in the audit log, which do not show the hash', async () => {
      const id = await add({ name: 'Firefox on Linux', expires_at: (await now()) - 31 * day, hash: 'a'.repeat(64) });
      await bookkeeping().tick();
      const entries = await store.read((tables) =>
        tables.of(AuditLog).find({ where: [['entity_type', '=', 'Token']], order: [['id', 'desc']] }),
      );
      expect(entries[0]).to.include({ action: 'delete', entity_id: id, actor: 'retention', channel: 'system' });
      expect(JSON.stringify(entries)).to.include('Firefox on Linux').and.not.to.include('a'.repeat(64));
    });

    it('are deleted some at a time, until there are none', async () => {
      const expires_at = (await now()) - 31 * day;
      for (let count = 0; count < 60; count++) await add({ expires_at });
      const ticker = bookkeeping();
      expect(await ticker.tick()).to.equal(0);
      expect(await ids()).to.have.length(10);
      expect(await ticker.tick()).to.be.above(0);
      expect(await ids()).to.deep.equal([]);
    });
  });

describe('A core that runs', () => {
  it('deletes the sessions that expired a month ago', async () => {
    const core = new MemoryCore();
    await core.addUser('ann', 'a good password', 'viewer');
    await core.tokens.issue(operator, { login: 'ann', name: 'ci', ttl: day });
    core.clock.advance(32 * day);
    await core.start();
    const tokens = () => core.store.read((tables) => tables.of(Token).count());
    await eventually('the deletion of the token', async () => (await tokens()) === 0);
    await core.stop(0);
  });
});
