import {
  AuditLog,
  allResources,
  type CompanyRole,
  findResource,
  mayRun,
  permissionRows,
  type Role,
  refusalOf,
  roles,
  trustedActor,
  User,
  UserRoles,
  visibleTo,
} from '@horarium/core';
import { expect } from 'chai';
import { type AnyRow, recordWorld, refusal, root, smallCompany, user } from '../../support/worlds/record-world.ts';

const verbs = ['read', 'create', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

/** Who may, written from the contract: `r` read, `w` create, update and remove, `u` update, `-` nothing. */
const shared: Readonly<Record<string, Readonly<Record<Role | 'none', string>>>> = {
  App: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  Topic: { none: '-', viewer: 'r', user: 'r', editor: 'rw', admin: 'rw', super_admin: 'rw' },
  CredentialType: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  EventSource: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  User: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  UserRoles: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  Token: { none: '-', viewer: '-', user: '-', editor: '-', admin: 'rw', super_admin: 'rw' },
};

const inCompany: Readonly<Record<string, Readonly<Record<CompanyRole | 'none', string>>>> = {
  Company: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'ru' },
  CompanyUser: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'rw' },
  RunTemplate: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  Credential: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  EventRule: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  Task: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Artifact: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Job: { none: '-', viewer: 'r', operator: 'rcu', manager: 'rcu', admin: 'rw' },
};

const letters: Readonly<Record<Verb, string>> = { read: 'r', create: 'cw', update: 'uw', delete: 'w' };
const allowed = (rights: string, verb: Verb) => [...letters[verb]].some((letter) => rights.includes(letter));

/** The condition that no row fulfils. */
const none = [['id', 'in', []]];

const world = recordWorld();

async function may(actor: ReturnType<typeof user>, name: string, verb: Verb, row: object): Promise<boolean> {
  const resource = findResource(name);
  if (verb === 'read') return visibleTo(actor, resource).length === 0;
  const [before, after] = [verb === 'create' ? undefined : row, verb === 'delete' ? undefined : row];
  const refused = await world.store.read(async (tables) => refusalOf(actor, resource, before, after, tables));
  expect(refused ?? 'a sentence.').to.match(/\.$/);
  return refused === undefined;
}

describe('the permissions', () => {
  it('list every resource once', () => {
    expect(permissionRows(allResources).map((row) => row.resource)).to.have.members([
      ...Object.keys(shared),
      ...Object.keys(inCompany),
      'AuditLog',
    ]);
    for (const { name, company, permissions } of allResources)
      if (name !== 'AuditLog') expect(permissions.decidedBy, name).to.equal(company === null ? 'role' : 'membership');
    expect(permissionRows(allResources).find((row) => row.resource === 'RunTemplate')).to.deep.equal({
      resource: 'RunTemplate',
      decided_by: 'membership',
      read: 'viewer',
      create: 'manager',
      update: 'manager',
      delete: 'manager',
    });
  });

  for (const [name, row] of Object.entries(shared))
    for (const role of ['none', ...roles] as const)
      it(`let the role ${role} do "${row[role]}" with ${name}`, async () => {
        const actor = user(5, role === 'none' ? [] : [role], { 1: 'admin' });
        for (const verb of verbs)
          expect(await may(actor, name, verb, { id: 9, user_id: 9, role: 'viewer' }), verb).to.equal(
            allowed(row[role], verb),
          );
      });

  for (const [name, row] of Object.entries(inCompany))
    for (const role of ['none', 'viewer', 'operator', 'manager', 'admin'] as const)
      it(`let the member ${role} do "${row[role]}" with ${name} of the company`, async () => {
        const actor = user(5, ['editor'], role === 'none' ? { 2: 'admin' } : { 1: role });
        const mine = name === 'Company' ? { id: 1 } : { id: 9, company_id: 1 };
        for (const verb of verbs.slice(1)) {
          const right = name === 'Company' && verb !== 'update' ? false : allowed(row[role], verb);
          expect(await may(actor, name, verb, mine), verb).to.equal(right);
        }
        const seen = visibleTo(actor, findResource(name));
        const field = name === 'Company' ? 'id' : 'company_id';
        expect(seen).to.deep.equal([[field, 'in', [role === 'none' ? 2 : 1]]]);
      });

  it('let admins do everything in every company, except what the service alone writes', async () => {
    for (const role of ['admin', 'super_admin'] as const)
      for (const name of Object.keys(inCompany))
        for (const verb of verbs)
          expect(await may(user(5, [role]), name, verb, { id: 9, company_id: 7 }), `${role} ${verb} ${name}`).to.equal(
            verb === 'read' || (name !== 'Task' && name !== 'Artifact'),
          );
  });

  it('hide a company from users who are not members', () => {
    for (const role of ['editor', 'user', 'viewer'] as const)
      for (const name of Object.keys(inCompany))
        expect(visibleTo(user(5, [role]), findResource(name)), name).to.deep.equal(none);
  });

  it('show users without a role their own records', () => {
    const actor = user(5, [], { 1: 'viewer' });
    expect(visibleTo(actor, User)).to.deep.equal([['id', '=', 5]]);
    expect(visibleTo(actor, UserRoles)).to.deep.equal([['user_id', '=', 5]]);
    expect(visibleTo(actor, findResource('Token'))).to.deep.equal([['user_id', '=', 5]]);
    expect(visibleTo(actor, findResource('App'))).to.deep.equal(none);
  });

  it('show the whole log to admins, to others what they did and what belongs to their companies', () => {
    expect(visibleTo(user(5, ['admin']), AuditLog)).to.deep.equal([]);
    expect(visibleTo(user(5, ['editor'], { 1: 'viewer' }), AuditLog)).to.deep.equal([
      { any: [[['user_id', '=', 5]], [['company_id', 'in', [1]]]] },
    ]);
  });

  it('let operators and above run jobs', () => {
    const can = (role: CompanyRole) => mayRun(user(5, ['viewer'], { 1: role }), 1);
    expect([can('viewer'), can('operator'), can('manager'), can('admin')]).to.deep.equal([false, true, true, true]);
    expect(mayRun(user(5, ['editor'], { 2: 'admin' }), 1)).to.equal(false);
    expect([mayRun(user(5, ['admin']), 1), mayRun(trustedActor('cli'), 1)]).to.deep.equal([true, true]);
  });
});

describe('the ladder', () => {
  const people = async () => {
    const world = recordWorld();
    const [king, clerk] = [await world.save('User', { login: 'king' }), await world.save('User', { login: 'clerk' })];
    const crown = await world.save('UserRoles', { user_id: king.id, role: 'super_admin' });
    return { world, king, clerk, crown, admin: user(clerk.id, ['admin']), first: user(king.id, ['super_admin']) };
  };
  const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code;

  it('lets only a super_admin touch a super_admin, in any field', async () => {
    const { world, king, crown, admin, first } = await people();
    expect(await codeOf(world.save('User', { id: king.id, first_name: 'x' }, admin))).to.equal('denied');
    expect(await codeOf(world.save('UserRoles', { user_id: king.id, role: 'viewer' }, admin))).to.equal('denied');
    expect(await codeOf(world.records('UserRoles').remove(admin, crown.id))).to.equal('denied');
    expect(await codeOf(world.records('User').remove(admin, king.id))).to.equal('denied');
    expect(await world.save('User', { id: king.id, first_name: 'x' }, first)).to.include({ first_name: 'x' });
  });

  it('refuses roles above the role of the actor who grants them', async () => {
    const { world, clerk, admin, first } = await people();
    const grant = (role: Role) => ({ user_id: clerk.id, role });
    expect(await codeOf(world.save('UserRoles', grant('super_admin'), admin))).to.equal('denied');
    for (const role of ['admin', 'editor', 'user', 'viewer'] as const)
      await world.save('UserRoles', grant(role), admin);
    expect(await world.save('UserRoles', grant('super_admin'), first)).to.include({ role: 'super_admin' });
    const editor = user(9, ['editor']);
    expect(await codeOf(world.save('UserRoles', grant('viewer'), editor))).to.equal('denied');
  });

  it('treats a super_admin whose role has expired like any other user', async () => {
    const { world, clerk, admin } = await people();
    const past = await world.save('UserRoles', {
      user_id: clerk.id,
      role: 'super_admin',
      expires_at: '2020-01-01T00:00:00Z',
    });
    expect(await world.save('User', { id: clerk.id, first_name: 'x' }, admin)).to.include({ first_name: 'x' });
    expect(await codeOf(world.save('UserRoles', { id: past.id, expires_at: null }, admin))).to.equal('denied');
  });

  it('keeps the last enabled super_admin', async () => {
    const { world, king, clerk, crown, first } = await people();
    const roles = world.records('UserRoles');
    const last = [
      () => world.save('User', { id: king.id, enabled: false }, first),
      () => world.records('User').remove(root, king.id),
      () => roles.remove(first, crown.id),
      () => world.save('UserRoles', { id: crown.id, expires_at: '2030-01-01T00:00:00Z' }, first),
    ];
    for (const attempt of last) {
      const error = await refusal(attempt());
      expect([error.code, error.message]).to.deep.equal([
        'conflict',
        `User ${king.id} is the last enabled super_admin: there must be another one first.`,
      ]);
    }
    const heir: AnyRow = await world.save('UserRoles', { user_id: clerk.id, role: 'super_admin' });
    await world.save('User', { id: clerk.id, enabled: false }, first);
    expect(await codeOf(roles.remove(first, crown.id))).to.equal('conflict');
    await world.save('User', { id: clerk.id, enabled: true }, first);
    await roles.remove(first, crown.id);
    expect(await codeOf(roles.remove(root, heir.id))).to.equal('conflict');
  });
});

describe('records under the permissions', () => {
  it('can be seen and changed by members only; for others they do not exist', async () => {
    const world = recordWorld();
    const [one, other] = [await smallCompany(world), await smallCompany(world, 'other')];
    const manager = user(5, [], { [one.company.id]: 'manager' });
    const templates = world.records('RunTemplate');
    expect((await templates.list(manager)).rows.map((row) => row.id)).to.deep.equal([one.template.id]);
    expect((await refusal(templates.get(manager, other.template.id))).code).to.equal('not_found');
    const unseen = await refusal(world.save('RunTemplate', { id: other.template.id, name: 'x' }, manager));
    const unknown = await refusal(world.save('RunTemplate', { id: 99, name: 'x' }, manager));
    expect(unseen.message.replace(String(other.template.id), '99')).to.equal(unknown.message);
    expect(await world.save('RunTemplate', { id: one.template.id, name: 'x' }, manager)).to.include({ name: 'x' });
    const seized = await refusal(world.save('Company', { code: 'other', name: 'mine' }, manager));
    expect(seized.code).to.equal('denied');
  });

  it('can refer to an app when saved by a member without an RBAC role', async () => {
    const world = recordWorld();
    const { app, company } = await smallCompany(world);
    const manager = user(5, [], { [company.id]: 'manager' });
    const input = { name: 'x', app_id: app.id, company_id: company.id, interval: 'none' };
    expect(await world.save('RunTemplate', input, manager)).to.include({ app_id: app.id });
  });
});
