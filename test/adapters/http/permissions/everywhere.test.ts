import type { Role } from '@horarium/core';
import { expect } from 'chai';
import { PermissionWorld, type Person, runWithAllUsers } from '../../../support/worlds/permission-world.ts';

type Kind = 'App' | 'Topic' | 'CredentialType' | 'EventSource' | 'User' | 'UserRoles';

const readers = { none: '', viewer: 'r', user: 'r' };
/** The permissions of each role, written from the contract: read, create, update, delete. */
const allowed: Readonly<Record<Kind, Readonly<Record<Role | 'none', string>>>> = {
  App: { ...readers, editor: 'r', admin: 'rcud', super_admin: 'rcud' },
  Topic: { ...readers, editor: 'rcud', admin: 'rcud', super_admin: 'rcud' },
  CredentialType: { ...readers, editor: 'r', admin: 'rcud', super_admin: 'rcud' },
  EventSource: { ...readers, editor: 'r', admin: 'rcud', super_admin: 'rcud' },
  User: { ...readers, editor: 'r', admin: 'rcud', super_admin: 'rcud' },
  UserRoles: { ...readers, editor: 'r', admin: 'ru', super_admin: 'ru' },
};

const world = new PermissionWorld();

interface Doing {
  readonly list?: string;
  readonly get: () => string;
  /** The request that creates one. */
  readonly create?: () => readonly [path: string, body: object];
  readonly update: () => readonly [path: string, body: object];
}

const doings: Readonly<Record<Kind, Doing>> = {
  App: {
    list: '/apps.json?limit=1000',
    get: () => `/app/${world.shared.App}.json`,
    create: () => ['/app/', { name: 'x', executable: 'true' }],
    update: () => [`/app/${world.shared.App}.json`, { description: null }],
  },
  Topic: {
    list: '/topics.json?limit=1000',
    get: () => `/topic/${world.shared.Topic}.json`,
    create: () => ['/topic/', { name: world.name() }],
    update: () => [`/topic/${world.shared.Topic}.json`, { color: null }],
  },
  CredentialType: {
    list: '/credential_types.json?limit=1000',
    get: () => `/credential_type/${world.shared.CredentialType}.json`,
    create: () => ['/credential_type/', { name: 'x', code: world.name() }],
    update: () => [`/credential_type/${world.shared.CredentialType}.json`, { url: null }],
  },
  EventSource: {
    list: '/eventsources.json?limit=1000',
    get: () => `/eventsource/${world.shared.EventSource}.json`,
    create: () => ['/eventsource/', { name: world.name(), kind: 'table' }],
    update: () => [`/eventsource/${world.shared.EventSource}.json`, { poll_interval: null }],
  },
  User: {
    list: '/users.json?limit=1000',
    get: () => `/user/${world.shared.User}.json`,
    create: () => ['/user/', { login: world.name() }],
    update: () => [`/user/${world.shared.User}.json`, { email: null }],
  },
  UserRoles: {
    get: () => `/user/${world.shared.User}/roles.json`,
    update: () => [`/user/${world.shared.User}/roles/`, { roles: ['viewer'] }],
  },
};

describe('Permissions of RBAC roles over HTTP', () => {
  const people = runWithAllUsers(world);

  for (const kind of Object.keys(allowed) as Kind[])
    it(`are those of the contract for every ${kind}, whatever the membership, but managers see Apps`, async () => {
      const { list, get, create, update } = doings[kind];
      for (const person of people) {
        const rights = allowed[kind][person.role];
        const runsApps = kind === 'App' && ['manager', 'admin'].includes(person.membership);
        const seen = rights.includes('r') || runsApps;
        const label = (wanted: string) => `${person.role}/${person.membership} ${wanted}`;
        if (list) {
          const { status, json } = await person.request('GET', list);
          expect(status).to.equal(200);
          const ids = json.map((each: { id: number }) => each.id);
          expect(ids.includes(world.shared[kind as keyof typeof world.shared]), label('lists')).to.equal(seen);
        }
        expect((await person.request('GET', get())).status, label('gets')).to.equal(seen ? 200 : 404);
        const changed = await person.request('POST', ...update());
        expect(changed.status, label('updates')).to.equal(rights.includes('u') ? 200 : seen ? 403 : 404);
        if (!create) continue;
        const made = await person.request('POST', ...create());
        expect(made.status, label('creates')).to.equal(rights.includes('c') ? 201 : 403);
        const path = rights.includes('c') ? get().replace(/\d+/, String(made.json.id)) : get();
        const deleted = await person.request('DELETE', path);
        expect(deleted.status, label('deletes')).to.equal(rights.includes('d') ? 204 : seen ? 403 : 404);
      }
    });

  it('allow only admins to test event sources', async () => {
    for (const person of people) {
      const { status } = await person.request('POST', `/eventsource/${world.shared.EventSource}/test.json`);
      const wanted = { none: 404, viewer: 403, user: 403, editor: 403, admin: 200, super_admin: 200 }[person.role];
      expect(status, `${person.role}/${person.membership}`).to.equal(wanted);
    }
  });

  it('show every user their own record and roles, and let them change neither', async () => {
    for (const person of people.filter(({ role }) => role === 'none' || role === 'editor')) {
      expect((await person.request('GET', `/user/${person.id}.json`)).json.id).to.equal(person.id);
      expect((await person.request('GET', `/user/${person.id}/roles.json`)).status).to.equal(200);
      expect((await person.request('POST', `/user/${person.id}/roles/`, { roles: ['admin'] })).status).to.equal(403);
      expect((await person.request('POST', `/user/${person.id}.json`, { login: world.name() })).status).to.equal(403);
    }
  });

  it('show admins the whole audit log, and others their own changes and those of their companies', async () => {
    const all = (await world.service.requestAsAdmin('/auditlog.json?limit=1000')).json as {
      id: number;
      company_id: number;
    }[];
    const { own, other } = world.companies;
    for (const person of people) {
      const { json, headers } = await person.request('GET', '/auditlog.json?limit=1000');
      const admin = person.role === 'admin' || person.role === 'super_admin';
      const foreign = all.find((entry) => entry.company_id === other.Company)?.id as number;
      const mine = all.find((entry) => entry.company_id === own.Company)?.id as number;
      const member = person.membership !== 'none';
      expect((await person.request('GET', `/auditlog/${foreign}.json`)).status).to.equal(admin ? 200 : 404);
      expect((await person.request('GET', `/auditlog/${mine}.json`)).status).to.equal(admin || member ? 200 : 404);
      if (admin) continue;
      const seen = json as { company_id: number | null; user_id: number }[];
      expect(headers['x-total-count']).to.equal(String(seen.length));
      expect(
        seen.every((entry) => entry.user_id === person.id || (member && entry.company_id === own.Company)),
      ).to.equal(true);
    }
  });
});

describe('The hierarchy of RBAC roles over HTTP', () => {
  let admin: Person;
  let first: Person;
  const world = new PermissionWorld();
  before(async () => {
    await world.start();
    [admin, first] = [await world.person('admin', 'none'), await world.person('super_admin', 'none')];
  });
  after(() => world.stop());

  it('lets only a super_admin change a super_admin, in any field', async () => {
    const fields = [
      { first_name: 'x' },
      { enabled: false },
      { password: 'a longer one still' },
      { login: 'taken-over' },
    ];
    for (const body of [...fields, { settings: { a: 1 } }, { email: 'a@example.com' }])
      expect((await admin.request('POST', `/user/${first.id}.json`, body)).status, JSON.stringify(body)).to.equal(403);
    expect((await admin.request('DELETE', `/user/${first.id}.json`)).status).to.equal(403);
    expect((await admin.request('DELETE', `/user/${first.id}.json?cascade=true`)).status).to.equal(403);
    for (const [query, given] of [
      ['', []],
      ['', ['viewer']],
      ['?replace=false', ['viewer']],
      ['', ['super_admin']],
    ] as const)
      expect((await admin.request('POST', `/user/${first.id}/roles/${query}`, { roles: given })).status).to.equal(403);
    expect((await first.request('POST', `/user/${first.id}.json`, { first_name: 'x' })).status).to.equal(200);
  });

  it('rejects to grant a role above the caller’s own', async () => {
    const { id } = await world.person('none', 'none');
    const grant = async (who: Person, role: Role) =>
      (await who.request('POST', `/user/${id}/roles/`, { roles: [role] })).status;
    expect(await grant(admin, 'super_admin')).to.equal(403);
    for (const role of ['admin', 'editor', 'user', 'viewer'] as const) expect(await grant(admin, role)).to.equal(200);
    expect((await admin.request('POST', `/user/${admin.id}/roles/`, { roles: ['super_admin'] })).status).to.equal(403);
    expect((await first.request('GET', `/user/${id}/roles.json`)).json[0].name).to.equal('viewer');
    expect(await grant(first, 'super_admin')).to.equal(200);
    expect(await grant(admin, 'viewer')).to.equal(403);
  });

  it('rejects to remove, disable or demote the last enabled super_admin', async () => {
    const all = (await first.request('GET', '/users.json?limit=1000')).json as { id: number }[];
    for (const { id } of all) {
      const held = (await first.request('GET', `/user/${id}/roles.json`)).json as { name: string }[];
      const king = held.some(({ name }) => name === 'super_admin');
      if (king && id !== first.id)
        expect((await first.request('POST', `/user/${id}.json`, { enabled: false })).status).to.equal(200);
    }
    const tries = [
      await first.request('POST', `/user/${first.id}.json`, { enabled: false }),
      await first.request('DELETE', `/user/${first.id}.json`),
      await first.request('DELETE', `/user/${first.id}.json?cascade=true`),
      await first.request('POST', `/user/${first.id}/roles/`, { roles: ['admin'] }),
      await first.request('POST', `/user/${first.id}/roles/`, {
        roles: [{ name: 'super_admin', expires_at: '2099-01-01T00:00:00Z' }],
      }),
    ];
    for (const { status, json } of tries) {
      expect(status).to.equal(409);
      expect(json.detail).to.match(/the last enabled super_admin/);
    }
  });
});
