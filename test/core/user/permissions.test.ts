import {
  AuditLog,
  allResources,
  byRole,
  type CompanyRole,
  permissionRows,
  type Role,
  roles,
  trustedActor,
  User,
  UserRoles,
} from '@horarium/core';
import { expect } from 'chai';
import { mayRun } from '#core/job/job-access';
import { refusalOf, visibleTo } from '#core/resource/access';
import { findResource } from '#core/resources';
import { type AnyRow, recordWorld, refusal, root, smallCompany, user } from '../../support/worlds/record-world.ts';

const verbs = ['read', 'create', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

/** The rights of each role, copied from the contract: `r` read, `w` create, update and delete, `c` create, `u` update, `-` none. */
const rightsByRole: Readonly<Record<string, Readonly<Record<Role | 'none', string>>>> = {
  App: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  Topic: { none: '-', viewer: 'r', user: 'r', editor: 'rw', admin: 'rw', super_admin: 'rw' },
  CredentialType: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  EventSource: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  User: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  UserRoles: { none: '-', viewer: 'r', user: 'r', editor: 'r', admin: 'rw', super_admin: 'rw' },
  Token: { none: '-', viewer: '-', user: '-', editor: '-', admin: 'rw', super_admin: 'rw' },
};

/** The rights of each role in a company. */
const rightsInCompany: Readonly<Record<string, Readonly<Record<CompanyRole | 'none', string>>>> = {
  Company: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'ru' },
  CompanyUser: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'rw' },
  RunTemplate: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  Calendar: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  MaintenanceWindow: { none: '-', viewer: 'r', operator: 'rw', manager: 'rw', admin: 'rw' },
  Pause: { none: '-', viewer: 'r', operator: 'rw', manager: 'rw', admin: 'rw' },
  Credential: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  EventRule: { none: '-', viewer: 'r', operator: 'r', manager: 'rw', admin: 'rw' },
  Task: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Event: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Artifact: { none: '-', viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Delivery: { none: '-', viewer: 'r', operator: 'ru', manager: 'ru', admin: 'ru' },
  Job: { none: '-', viewer: 'r', operator: 'rcu', manager: 'rcu', admin: 'rw' },
};

const letters: Readonly<Record<Verb, string>> = { read: 'r', create: 'cw', update: 'uw', delete: 'w' };
const grants = (rights: string, verb: Verb) => [...letters[verb]].some((letter) => rights.includes(letter));

/** A condition that no row meets. */
const noRows = [['id', 'in', []]];
/** The condition for the pauses of all companies, which everybody sees. */
const ofAll = [['company_id', '=', null]];

const world = recordWorld();

async function isAllowed(actor: ReturnType<typeof user>, name: string, verb: Verb, row: object): Promise<boolean> {
  const resource = findResource(name);
  if (verb === 'read') return visibleTo(actor, resource).length === 0;
  const [before, after] = [verb === 'create' ? undefined : row, verb === 'delete' ? undefined : row];
  const message = await world.store.read(async (tables) => refusalOf(actor, resource, before, after, tables));
  expect(message ?? 'a sentence.').to.match(/\.$/);
  return message === undefined;
}

/** Records without a company are seen by everybody. */
const isShared = (name: string) => ['Pause', 'Calendar', 'MaintenanceWindow'].includes(name);

describe('Permissions', () => {
  it('list every resource once, with the role that each verb requires', () => {
    expect(permissionRows(allResources).map((row) => row.resource)).to.have.members([
      ...Object.keys(rightsByRole),
      ...Object.keys(rightsInCompany),
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
    const { verbs: allowed } = byRole({ read: 'everybody', write: 'the service' });
    expect(allowed).to.deep.equal({
      read: 'everybody',
      create: 'the service',
      update: 'the service',
      delete: 'the service',
    });
    expect(permissionRows(allResources).find((row) => row.resource === 'Company')).to.deep.include({
      create: 'admin everywhere',
      update: 'admin',
      delete: 'admin everywhere',
    });
  });

  for (const [name, rights] of Object.entries(rightsByRole))
    for (const role of ['none', ...roles] as const)
      it(`grant the role ${role} the rights "${rights[role]}" on ${name}`, async () => {
        // Managers see Apps without a role.
        const actor = user(5, role === 'none' ? [] : [role], { 1: name === 'App' ? 'operator' : 'admin' });
        for (const verb of verbs)
          expect(await isAllowed(actor, name, verb, { id: 9, user_id: 9, role: 'viewer' }), verb).to.equal(
            grants(rights[role], verb),
          );
      });

  for (const [name, rights] of Object.entries(rightsInCompany))
    for (const role of ['none', 'viewer', 'operator', 'manager', 'admin'] as const)
      it(`grant a company's ${role} the rights "${rights[role]}" on ${name} of that company only`, async () => {
        const actor = user(5, ['editor'], role === 'none' ? { 2: 'admin' } : { 1: role });
        const row = name === 'Company' ? { id: 1 } : { id: 9, company_id: 1, task_id: null };
        for (const verb of verbs.slice(1)) {
          const expected = name === 'Company' && verb !== 'update' ? false : grants(rights[role], verb);
          expect(await isAllowed(actor, name, verb, row), verb).to.equal(expected);
        }
        const visible = visibleTo(actor, findResource(name));
        const field = name === 'Company' ? 'id' : 'company_id';
        const ofCompany = [[field, 'in', [role === 'none' ? 2 : 1]]];
        expect(visible).to.deep.equal(isShared(name) ? [{ any: [ofCompany, ofAll] }] : ofCompany);
      });

  it('grant admins every right in every company, except to write what only the service writes', async () => {
    const written: Readonly<Record<string, readonly Verb[]>> = {
      ...{ Task: [], Event: [], Artifact: [] },
      // A delivery is only ever retried.
      Delivery: ['update'],
    };
    for (const role of ['admin', 'super_admin'] as const)
      for (const name of Object.keys(rightsInCompany))
        for (const verb of verbs)
          expect(
            await isAllowed(user(5, [role]), name, verb, { id: 9, company_id: 7 }),
            `${role} ${verb} ${name}`,
          ).to.equal(verb === 'read' || (written[name]?.includes(verb) ?? true));
  });

  it('hide the records of a company from users who are not its members', () => {
    for (const role of ['editor', 'user', 'viewer'] as const)
      for (const name of Object.keys(rightsInCompany))
        expect(visibleTo(user(5, [role]), findResource(name)), name).to.deep.equal(isShared(name) ? ofAll : noRows);
  });

  it('show users without a role only their own user, roles and tokens', () => {
    const actor = user(5, [], { 1: 'viewer' });
    expect(visibleTo(actor, User)).to.deep.equal([['id', '=', 5]]);
    expect(visibleTo(actor, UserRoles)).to.deep.equal([['user_id', '=', 5]]);
    expect(visibleTo(actor, findResource('Token'))).to.deep.equal([['user_id', '=', 5]]);
    expect(visibleTo(actor, findResource('App'))).to.deep.equal(noRows);
  });

  it('show Apps to managers of a company, who may run them, and to no lower member', () => {
    const appsOf = (role: CompanyRole) => visibleTo(user(5, [], { 1: role }), findResource('App'));
    expect((['viewer', 'operator', 'manager', 'admin'] as const).map(appsOf)).to.deep.equal([noRows, noRows, [], []]);
  });

  it('show admins the whole audit log, and others the entries of their own changes and of their companies', () => {
    expect(visibleTo(user(5, ['admin']), AuditLog)).to.deep.equal([]);
    expect(visibleTo(user(5, ['editor'], { 1: 'viewer' }), AuditLog)).to.deep.equal([
      { any: [[['user_id', '=', 5]], [['company_id', 'in', [1]]]] },
    ]);
  });

  it('let operators, managers and admins of a company run its jobs, and viewers not', () => {
    const mayRunAs = (role: CompanyRole) => mayRun(user(5, ['viewer'], { 1: role }), 1);
    expect([mayRunAs('viewer'), mayRunAs('operator'), mayRunAs('manager'), mayRunAs('admin')]).to.deep.equal([
      false,
      true,
      true,
      true,
    ]);
    expect(mayRun(user(5, ['editor'], { 2: 'admin' }), 1)).to.equal(false);
    expect([mayRun(user(5, ['admin']), 1), mayRun(trustedActor('cli'), 1)]).to.deep.equal([true, true]);
  });
});

describe('The rules of permissions', () => {
  it('can read only the fields that they name, or they do not compile', () => {
    const matrix = { read: 'everybody', write: 'everybody' } as const;
    const rules = byRole(matrix, { fields: ['author_id'], refuse: async (_, row) => String(row.author_id) });
    // @ts-expect-error: the rules name no field owner_id.
    byRole(matrix, { fields: ['author_id'], refuse: async (_, row) => String(row.owner_id) });
    // @ts-expect-error: the rules name no field.
    byRole(matrix, { refuse: async (_, row) => String(row.author_id) });
    expect(rules.fields).to.deep.equal(['author_id']);
  });
});

describe('The hierarchy of roles', () => {
  const superAdminAndAdmin = async () => {
    const world = recordWorld();
    const chief = await world.save('User', { login: 'chief' });
    const clerk = await world.save('User', { login: 'clerk' });
    const chiefRole = await world.save('UserRoles', { user_id: chief.id, role: 'super_admin' });
    return {
      world,
      chief,
      clerk,
      chiefRole,
      admin: user(clerk.id, ['admin']),
      superAdmin: user(chief.id, ['super_admin']),
    };
  };
  const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code;

  it('lets only a super_admin change or delete a super_admin', async () => {
    const { world, chief, chiefRole, admin, superAdmin } = await superAdminAndAdmin();
    expect(await codeOf(world.save('User', { id: chief.id, first_name: 'x' }, admin))).to.equal('denied');
    expect(await codeOf(world.save('UserRoles', { user_id: chief.id, role: 'viewer' }, admin))).to.equal('denied');
    expect(await codeOf(world.records('UserRoles').delete(admin, chiefRole.id))).to.equal('denied');
    expect(await codeOf(world.records('User').delete(admin, chief.id))).to.equal('denied');
    expect(await world.save('User', { id: chief.id, first_name: 'x' }, superAdmin)).to.include({ first_name: 'x' });
  });

  it('rejects a grant of a role above the role of its actor', async () => {
    const { world, clerk, admin, superAdmin } = await superAdminAndAdmin();
    const grant = (role: Role) => ({ user_id: clerk.id, role });
    expect(await codeOf(world.save('UserRoles', grant('super_admin'), admin))).to.equal('denied');
    for (const role of ['admin', 'editor', 'user', 'viewer'] as const)
      await world.save('UserRoles', grant(role), admin);
    expect(await world.save('UserRoles', grant('super_admin'), superAdmin)).to.include({ role: 'super_admin' });
    const editor = user(9, ['editor']);
    expect(await codeOf(world.save('UserRoles', grant('viewer'), editor))).to.equal('denied');
  });

  it('treats a super_admin whose role has expired like any other user', async () => {
    const { world, clerk, admin } = await superAdminAndAdmin();
    const expired = await world.save('UserRoles', {
      user_id: clerk.id,
      role: 'super_admin',
      expires_at: '2020-01-01T00:00:00Z',
    });
    expect(await world.save('User', { id: clerk.id, first_name: 'x' }, admin)).to.include({ first_name: 'x' });
    expect(await codeOf(world.save('UserRoles', { id: expired.id, expires_at: null }, admin))).to.equal('denied');
  });

  it('rejects every change that would leave no enabled super_admin', async () => {
    const { world, chief, clerk, chiefRole, superAdmin } = await superAdminAndAdmin();
    const roles = world.records('UserRoles');
    const changes = [
      () => world.save('User', { id: chief.id, enabled: false }, superAdmin),
      () => world.records('User').delete(root, chief.id),
      () => roles.delete(superAdmin, chiefRole.id),
      () => world.save('UserRoles', { id: chiefRole.id, expires_at: '2030-01-01T00:00:00Z' }, superAdmin),
    ];
    for (const change of changes) {
      const error = await refusal(change());
      expect([error.code, error.message]).to.deep.equal([
        'conflict',
        `User ${chief.id} is the last enabled super_admin: there must be another one first.`,
      ]);
    }
    const successorRole: AnyRow = await world.save('UserRoles', { user_id: clerk.id, role: 'super_admin' });
    await world.save('User', { id: clerk.id, enabled: false }, superAdmin);
    expect(await codeOf(roles.delete(superAdmin, chiefRole.id))).to.equal('conflict');
    await world.save('User', { id: clerk.id, enabled: true }, superAdmin);
    await roles.delete(superAdmin, chiefRole.id);
    expect(await codeOf(roles.delete(root, successorRole.id))).to.equal('conflict');
  });
});

describe('A record of a company', () => {
  it('can be read and changed by members only, and is reported as missing to others', async () => {
    const world = recordWorld();
    const own = await smallCompany(world);
    const foreign = await smallCompany(world, 'other');
    const manager = user(5, [], { [own.company.id]: 'manager' });
    const templates = world.records('RunTemplate');
    expect((await templates.list(manager)).rows.map((row) => row.id)).to.deep.equal([own.template.id]);
    expect((await refusal(templates.get(manager, foreign.template.id))).code).to.equal('not_found');
    const hidden = await refusal(world.save('RunTemplate', { id: foreign.template.id, name: 'x' }, manager));
    const missing = await refusal(world.save('RunTemplate', { id: 99, name: 'x' }, manager));
    expect(hidden.message.replace(String(foreign.template.id), '99')).to.equal(missing.message);
    expect(await world.save('RunTemplate', { id: own.template.id, name: 'x' }, manager)).to.include({ name: 'x' });
    const overwrite = await refusal(world.save('Company', { code: 'other', name: 'mine' }, manager));
    expect(overwrite.code).to.equal('denied');
  });

  it('leave the limit of running jobs to admins: the admin of a company keeps it when saving the rest', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const own = user(5, [], { [company.id]: 'admin' });
    await world.save('Company', { id: company.id, max_running: 3 });
    expect((await refusal(world.save('Company', { id: company.id, max_running: null }, own))).message).to.equal(
      `user 5 may not change max_running of company ${company.id}: that takes the role admin.`,
    );
    const saved = await world.save('Company', { id: company.id, name: 'Acme', max_running: 3 }, own);
    expect(saved).to.include({ name: 'Acme', max_running: 3 });
    const template = await world.save(
      'RunTemplate',
      { code: 't', company_id: company.id, max_running: 2, interval: 'none', name: 't', app_id: 1 },
      own,
    );
    expect(template).to.include({ max_running: 2 });
  });

  it('leave the user of the operating system to admins, as whom the programs of a company run', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const own = user(5, [], { [company.id]: 'admin' });
    for (const run_as of ['acme-jobs', 'root'])
      expect((await refusal(world.save('Company', { id: company.id, run_as }, own))).message).to.equal(
        `user 5 may not change run_as of company ${company.id}: that takes the role admin.`,
      );
    const other = await refusal(world.save('Company', { id: company.id, run_as: 'root' }));
    expect(other.errors).to.deep.equal([
      { field: 'run_as', message: 'run_as cannot be root: only acme-jobs is allowed' },
    ]);
    await world.save('Company', { id: company.id, run_as: 'acme-jobs' });
    expect(await world.save('Company', { id: company.id, name: 'Acme', run_as: 'acme-jobs' }, own)).to.include({
      name: 'Acme',
      run_as: 'acme-jobs',
    });
    const taken = await refusal(world.save('Company', { code: 'other', name: 'Other', run_as: 'acme-jobs' }));
    expect([taken.code, taken.message]).to.deep.equal(['conflict', 'Another Company has the same run_as.']);
    expect((await refusal(world.save('Company', { id: company.id, run_as: null }, own))).code).to.equal('denied');
  });

  it('can refer to an app although the member who saves it has no role that shows apps', async () => {
    const world = recordWorld();
    const { app, company } = await smallCompany(world);
    const manager = user(5, [], { [company.id]: 'manager' });
    const input = { name: 'x', app_id: app.id, company_id: company.id, interval: 'none' };
    expect(await world.save('RunTemplate', input, manager)).to.include({ app_id: app.id });
  });
});
