import { AuditLog, createFirstUser, type FirstUser, User } from '@horarium/core';
import { expect } from 'chai';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const origin = { channel: 'http', ip: null, network: null, requestId: null } as const;

describe('createFirstUser', () => {
  let core: MemoryCore;

  beforeEach(() => {
    core = new MemoryCore();
  });

  const make = (password: string | null = null) => createFirstUser({ ...core, passwords: core.passwords, password });

  it('creates admin, a super_admin, and returns a random password once', async () => {
    const made = (await make()) as FirstUser;
    expect(made.login).to.equal('admin');
    expect(made.password).to.match(/^[A-Za-z0-9_-]{24}$/);
    const { actor } = await core.signIn.withPassword('admin', made.password as string, origin);
    expect([...actor.roles]).to.deep.equal(['super_admin']);
    expect(await make()).to.equal(null);
  });

  it('uses a given password and does not return it', async () => {
    expect(await make('given by the operator')).to.deep.equal({ login: 'admin', password: null });
    expect((await core.signIn.withPassword('admin', 'given by the operator', origin)).user.login).to.equal('admin');
  });

  it('refuses a short password and creates nothing', async () => {
    const error = await make('short').catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'invalid' });
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(0);
  });

  it('does nothing in a store that has users', async () => {
    await core.addUser('ann', 'a good password');
    expect(await make()).to.equal(null);
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(1);
  });

  it('creates one user when several hosts start at once', async () => {
    const made = await Promise.all([make(), make(), make(), make()]);
    expect(made.filter((each) => each !== null)).to.have.length(1);
    expect(await core.store.read((tables) => tables.of(User).count())).to.equal(1);
  });

  it('writes an audit entry without the password', async () => {
    const made = (await make()) as FirstUser;
    const entries = await core.store.read((tables) => tables.of(AuditLog).find());
    expect(entries.map((entry) => entry.entity_type)).to.deep.equal(['User', 'UserRoles']);
    expect(JSON.stringify(entries)).not.to.include(made.password);
    expect(JSON.stringify(entries)).not.to.match(/[0-9a-f]{16}:[0-9a-f]{32}/);
  });
});
