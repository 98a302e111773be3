import { AuditLog, createFirstUser, type FirstUser, User } from '@horarium/core';
import { expect } from 'chai';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const origin = { channel: 'http', ip: null, network: null, requestId: null } as const;

describe('createFirstUser', () => {
  let core: MemoryCore;

  beforeEach(() => {
    core = new MemoryCore();
  });

  const createAdmin = (password: string | null = null) =>
    createFirstUser({ ...core, passwordHasher: core.passwordHasher, password });

  it('creates the user admin with the role super_admin and returns its random password, then nothing', async () => {
    const admin = (await createAdmin()) as FirstUser;
    expect(admin.login).to.equal('admin');
    expect(admin.password).to.match(/^[A-Za-z0-9_-]{24}$/);
    const { actor } = await core.signIn.withPassword('admin', admin.password as string, origin);
    expect([...actor.roles]).to.deep.equal(['super_admin']);
    expect(await createAdmin()).to.equal(null);
  });

  it('uses the password that the operator sets, and does not return it', async () => {
    expect(await createAdmin('set by the operator')).to.deep.equal({ login: 'admin', password: null });
    expect((await core.signIn.withPassword('admin', 'set by the operator', origin)).user.login).to.equal('admin');
  });

  it('rejects a short password and creates no user', async () => {
    const error = await createAdmin('short').catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'invalid' });
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(0);
  });

  it('creates no user in a store that has one', async () => {
    await core.addUser('ann', 'a good password');
    expect(await createAdmin()).to.equal(null);
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(1);
  });

  it('creates one user when several hosts start at the same time', async () => {
    const results = await Promise.all([createAdmin(), createAdmin(), createAdmin(), createAdmin()]);
    expect(results.filter((result) => result !== null)).to.have.length(1);
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(1);
  });

  it('writes neither the password nor its hash to the audit log', async () => {
    const admin = (await createAdmin()) as FirstUser;
    const entries = await core.store.read((tables) => tables.of(AuditLog).find());
    expect(entries.map((entry) => entry.entity_type)).to.deep.equal(['User', 'UserRoles']);
    expect(JSON.stringify(entries)).not.to.include(admin.password);
    expect(JSON.stringify(entries)).not.to.match(/[0-9a-f]{16}:[0-9a-f]{32}/);
  });
});
