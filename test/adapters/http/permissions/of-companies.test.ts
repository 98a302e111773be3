import type { CompanyRole } from '@horarium/core';
import { expect } from 'chai';
import {
  type CompanyRecords,
  muchLater,
  PermissionWorld,
  type Person,
  runWithAllUsers,
} from '../../../support/worlds/permission-world.ts';

type Kind =
  | 'Company'
  | 'CompanyUser'
  | 'RunTemplate'
  | 'Credential'
  | 'EventRule'
  | 'Calendar'
  | 'MaintenanceWindow'
  | 'Pause'
  | 'Task'
  | 'Job'
  | 'Artifact';
type Place = 'own' | 'other';

/**
 * The permissions of each membership in its company, written from the contract: read, create, update, delete. Admins
 * have all of them everywhere; other users have none where they are not a member.
 */
const allowed: Readonly<Record<Kind, Readonly<Record<CompanyRole, string>>>> = {
  Company: { viewer: 'r', operator: 'r', manager: 'r', admin: 'ru' },
  CompanyUser: { viewer: 'r', operator: 'r', manager: 'r', admin: 'rcud' },
  RunTemplate: { viewer: 'r', operator: 'r', manager: 'rcud', admin: 'rcud' },
  Credential: { viewer: 'r', operator: 'r', manager: 'rcud', admin: 'rcud' },
  EventRule: { viewer: 'r', operator: 'r', manager: 'rcud', admin: 'rcud' },
  Calendar: { viewer: 'r', operator: 'r', manager: 'rcud', admin: 'rcud' },
  MaintenanceWindow: { viewer: 'r', operator: 'rcud', manager: 'rcud', admin: 'rcud' },
  Pause: { viewer: 'r', operator: 'rcud', manager: 'rcud', admin: 'rcud' },
  Task: { viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
  Job: { viewer: 'r', operator: 'rcu', manager: 'rcu', admin: 'rcud' },
  Artifact: { viewer: 'r', operator: 'r', manager: 'r', admin: 'r' },
};

function rightsOf({ role, membership }: Person, kind: Kind, place: Place): string {
  if (role === 'admin' || role === 'super_admin') return 'rcud';
  return place === 'other' || membership === 'none' ? '' : allowed[kind][membership];
}

interface Doing {
  readonly list?: (records: CompanyRecords) => string;
  /** Tells one record of a list from the others. */
  readonly key?: string;
  readonly get?: (records: CompanyRecords) => string;
  /** The request that creates one, and the status that it gets when the company is invisible. */
  readonly create?: (records: CompanyRecords) => readonly [path: string, body: object];
  readonly unseen?: 404 | 422 | 403;
  readonly update?: (records: CompanyRecords) => readonly [path: string, body: object];
  /** The path of a record to delete. */
  readonly spare?: (records: CompanyRecords) => Promise<string>;
}

const world = new PermissionWorld();
const later = '2099-01-01T00:00:00Z';

const doings: Readonly<Record<Kind, Doing>> = {
  Company: {
    list: () => '/companies.json?limit=1000',
    get: ({ Company }) => `/company/${Company}.json`,
    create: () => ['/company/', { code: world.name('code'), name: 'x' }],
    unseen: 403,
    update: ({ Company }) => [`/company/${Company}.json`, { email: null }],
    spare: async () => `/company/${(await world.make('/company/', { code: world.name('spare'), name: 'x' })).id}.json`,
  },
  CompanyUser: {
    list: ({ Company }) => `/company/${Company}/users.json?limit=1000`,
    key: 'user_id',
    get: ({ Company, member }) => `/company/${Company}/user/${member}.json`,
    create: ({ Company }) => [`/company/${Company}/user/`, { login: 'shared' }],
    unseen: 404,
    update: ({ Company, member }) => [`/company/${Company}/user/`, { user_id: member, role: 'viewer' }],
    spare: async ({ Company }) => {
      await world.make(`/company/${Company}/user/`, { user_id: world.shared.User });
      return `/company/${Company}/user/${world.shared.User}`;
    },
  },
  RunTemplate: {
    list: () => '/runtemplates.json?limit=1000',
    get: ({ RunTemplate }) => `/runtemplate/${RunTemplate}.json`,
    create: ({ Company }) => [
      '/runtemplate/',
      { name: 'x', app_id: world.shared.App, company_id: Company, interval: 'none' },
    ],
    update: ({ RunTemplate }) => [`/runtemplate/${RunTemplate}.json`, { note: null }],
    spare: async ({ Company }) => `/runtemplate/${(await world.template(Company)).id}.json`,
  },
  Credential: {
    list: () => '/credentials.json?limit=1000',
    get: ({ Credential }) => `/credential/${Credential}.json`,
    create: ({ Company }) => ['/credential/', { name: 'x', company_id: Company }],
    update: ({ Credential }) => [`/credential/${Credential}.json`, { expires_at: null }],
    spare: async ({ Company }) =>
      `/credential/${(await world.make('/credential/', { name: 'x', company_id: Company })).id}.json`,
  },
  EventRule: {
    list: () => '/eventrules.json?limit=1000',
    get: ({ EventRule }) => `/eventrule/${EventRule}.json`,
    create: ({ RunTemplate }) => [
      '/eventrule/',
      { runtemplate_id: RunTemplate, event_source_id: world.shared.EventSource },
    ],
    update: ({ EventRule }) => [`/eventrule/${EventRule}.json`, { priority: 0 }],
    spare: async ({ RunTemplate }) => {
      const rule = { runtemplate_id: RunTemplate, event_source_id: world.shared.EventSource };
      return `/eventrule/${(await world.make('/eventrule/', rule)).id}.json`;
    },
  },
  Calendar: {
    list: () => '/calendars.json?limit=1000',
    get: ({ Calendar }) => `/calendar/${Calendar}.json`,
    create: ({ Company }) => ['/calendar/', { company_id: Company, name: 'x' }],
    update: ({ Calendar }) => [`/calendar/${Calendar}.json`, { note: 'x' }],
    spare: async ({ Company }) =>
      `/calendar/${(await world.make('/calendar/', { company_id: Company, name: 'x' })).id}.json`,
  },
  MaintenanceWindow: {
    list: () => '/maintenancewindows.json?limit=1000',
    get: ({ MaintenanceWindow }) => `/maintenancewindow/${MaintenanceWindow}.json`,
    create: ({ Company, Calendar }) => [
      '/maintenancewindow/',
      { company_id: Company, calendar_id: Calendar, name: 'x' },
    ],
    update: ({ MaintenanceWindow }) => [`/maintenancewindow/${MaintenanceWindow}.json`, { catch_up: 'latest' }],
    spare: async ({ RunTemplate, Calendar }) => {
      const given = { runtemplate_id: RunTemplate, calendar_id: Calendar, name: 'x' };
      return `/maintenancewindow/${(await world.make('/maintenancewindow/', given)).id}.json`;
    },
  },
  Pause: {
    list: () => '/pauses.json?limit=1000',
    get: ({ Pause }) => `/pause/${Pause}.json`,
    create: ({ Company }) => ['/pause/', { company_id: Company, starts_at: muchLater, reason: 'x' }],
    update: ({ Pause }) => [`/pause/${Pause}.json`, { catch_up: 'none' }],
    spare: async ({ RunTemplate }) =>
      `/pause/${(await world.make('/pause/', { runtemplate_id: RunTemplate, starts_at: muchLater, reason: 'x' })).id}.json`,
  },
  Task: { list: () => '/tasks.json?limit=1000', get: ({ Task }) => `/task/${Task}.json` },
  Job: {
    list: () => '/jobs.json?limit=1000',
    get: ({ Job }) => `/job/${Job}.json`,
    create: ({ RunTemplate }) => ['/job/', { runtemplate_id: RunTemplate, scheduled_at: later }],
    update: ({ Job }) => [`/job/${Job}.json`, { scheduled_at: later }],
    spare: async ({ RunTemplate }) => `/job/${await world.endedJob(RunTemplate)}.json`,
  },
  Artifact: { get: ({ Artifact }) => `/artifact/${Artifact}` },
};

describe('Permissions of memberships over HTTP', () => {
  const people = runWithAllUsers(world);

  for (const kind of Object.keys(allowed) as Kind[])
    for (const place of ['own', 'other'] as const)
      it(`are those of the contract for every ${kind} of ${place === 'own' ? 'their company' : 'another one'}`, async () => {
        const records = world.companies[place];
        for (const person of people) await walk(person, kind, records, rightsOf(person, kind, place));
      });

  async function walk(person: Person, kind: Kind, records: CompanyRecords, rights: string): Promise<void> {
    const { list, key = 'id', get, create, unseen = 422, update, spare } = doings[kind];
    const may = (letter: string) => rights.includes(letter);
    const seen = may('r');
    const label = (wanted: string) => `${person.role}/${person.membership} ${wanted}`;
    if (list) {
      const { status, json } = await person.request('GET', list(records));
      const hidden = kind === 'CompanyUser' && !seen;
      expect(status, label('lists')).to.equal(hidden ? 404 : 200);
      const id = kind === 'CompanyUser' ? records.member : records[kind];
      const ids = hidden ? [] : json.map((each: Readonly<Record<string, number>>) => each[key]);
      expect(ids.includes(id), label('sees it in the list')).to.equal(seen);
    }
    if (get) expect((await person.request('GET', get(records))).status, label('gets')).to.equal(seen ? 200 : 404);
    if (create) {
      const { status } = await person.request('POST', ...create(records));
      const made = kind === 'CompanyUser' ? [200, 201] : [201];
      // A user who may create none in any company is refused before the company is looked up.
      const anywhere = unseen !== 422 || rightsOf(person, kind, 'own').includes('c');
      expect(status, label('creates')).to.be.oneOf(may('c') ? made : [seen || !anywhere ? 403 : unseen]);
    }
    if (update) {
      const { status } = await person.request('POST', ...update(records));
      expect(status, label('updates')).to.equal(may('u') ? 200 : seen ? 403 : 404);
    }
    if (spare) {
      // Deletes that are refused use the record that stays; those that are allowed use a spare one.
      const path = may('d') || kind === 'Job' ? await spare(records) : pathOf(kind, records);
      const { status } = await person.request('DELETE', path);
      expect(status, label('deletes')).to.equal(may('d') ? 204 : seen ? 403 : 404);
    }
  }

  function pathOf(kind: Kind, records: CompanyRecords): string {
    return (doings[kind].get as (records: CompanyRecords) => string)(records).replace(/(\/user\/\d+)\.json$/, '$1');
  }
});
