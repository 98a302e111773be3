import {
  type Actor,
  type AppliedConfiguration,
  type ApplyOptions,
  type ConfiguredRecord,
  type RunTemplateRow,
  trustedActor,
} from '@horarium/core';
import { memoryKind } from '../event-sources/memory-source.ts';
import { rejectionOf } from '../mocha/rejection-of.ts';
import { MemoryCore } from './memory-core.ts';

export const operator = trustedActor('jana', 'cli');

/** Fields of records by their kinds. */
export type Kinds = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

export const recordsOf = (kinds: Kinds): ConfiguredRecord[] =>
  Object.entries(kinds).flatMap(([kind, list]) => list.map((fields) => ({ kind, fields })));

export const app = { code: 'dump', name: 'Dump', executable: 'true' };
export const nightly = { company_id: 'acme', code: 'nightly', name: 'Nightly', app_id: 'dump', interval: 'daily' };
export const two = {
  companies: [
    { code: 'acme', name: 'Acme' },
    { code: 'beta', name: 'Beta' },
  ],
} satisfies Kinds;
/** A company with one template. */
export const small = {
  apps: [app],
  companies: [{ code: 'acme', name: 'Acme' }],
  runtemplates: [nightly],
} satisfies Kinds;

/** Every kind, with references of every sort, and fields of every sort. */
export const whole = {
  topics: [{ name: 'Finance', color: '#1f77b4' }],
  apps: [
    {
      code: 'dump',
      uuid: '6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63',
      name: 'Dump',
      executable: 'true',
      arguments: ['--file', '{DATABASE}'],
      topics: ['Finance'],
      environment: { DATABASE: { type: 'string' }, PASSWORD: { type: 'password' } },
    },
  ],
  companies: two.companies,
  credential_types: [
    {
      code: 'login',
      uuid: 'a3d0f8b2-51c4-4e6b-8f0e-7b9c2d1e4a55',
      name: 'Login',
      fields: [{ keyword: 'LOGIN' }, { keyword: 'TOKEN', type: 'password' }],
    },
  ],
  credentials: [
    {
      company_id: 'acme',
      name: 'Account',
      credential_type_id: 'login',
      values: { LOGIN: 'backup', TOKEN: 'a long secret' },
      expires_at: '2030-01-01T00:00:00.000Z',
    },
  ],
  calendars: [
    { code: 'cz', name: 'Everywhere', weekdays: ['sunday'] },
    { company_id: 'acme', code: 'cz', name: 'At Acme', weekdays: ['saturday', 'sunday'] },
    { company_id: 'beta', code: 'own', name: 'At Beta', dates: [{ date: '2026-12-24', name: 'holiday' }] },
  ],
  runtemplates: [
    {
      company_id: 'acme',
      code: 'a/b',
      name: 'With a slash',
      app_id: 'dump',
      interval: 'hourly',
      timezone: 'UTC',
      calendar_id: '/cz',
    },
    {
      company_id: 'acme',
      code: 'nightly',
      name: 'Nightly',
      app_id: 'dump',
      active: false,
      interval: 'daily',
      timezone: 'Europe/Prague',
      delay: 1800,
      starts_at: '2026-12-01T00:00:00.000Z',
      calendar_id: 'cz',
      deadline: '06:00',
      timeout: 3600,
      environment: { DATABASE: 'shop', PASSWORD: 'another long secret' },
      credentials: ['Account'],
      topics: ['Finance'],
      note: 'first line\nsecond line',
    },
    {
      company_id: 'beta',
      code: 'nightly',
      name: 'Nightly',
      app_id: 'dump',
      interval: 'daily',
      timezone: 'UTC',
      calendar_id: 'cz',
    },
    { company_id: 'beta', name: 'without a code', app_id: 'dump', interval: 'none', timezone: 'UTC' },
  ],
  maintenancewindows: [
    {
      company_id: 'acme',
      code: 'patches',
      name: 'Patches',
      runtemplate_id: 'nightly',
      calendar_id: 'cz',
      start_time: '22:00',
      timezone: 'UTC',
    },
  ],
  eventsources: [
    {
      name: 'shop',
      kind: 'memory',
      options: { place: 'here', password: 'a third secret' },
      companies: ['acme', 'beta'],
    },
  ],
  eventrules: [
    {
      event_source_id: 'shop',
      runtemplate_id: 'acme/nightly',
      env_mapping: { DATABASE: 'recordid' },
    },
    { event_source_id: 'shop', evidence: 'order', runtemplate_id: 'acme/nightly' },
    { name: 'Chain', runtemplate_source_id: 'acme/nightly', event: 'failed', runtemplate_id: 'acme/a/b' },
  ],
} satisfies Kinds;

/** What an application did, in lines: `create app dump`. */
export const done = ({ changes }: AppliedConfiguration) => changes.map(({ action, name }) => `${action} ${name}`);

/** A core with an event source kind, and its configuration by kinds. */
export class ConfigurationWorld {
  readonly core: MemoryCore;

  constructor(options: ConstructorParameters<typeof MemoryCore>[0] = {}) {
    this.core = new MemoryCore(options);
    this.core.eventSourceKinds.set('memory', memoryKind(new Map()));
  }

  apply(kinds: Kinds, options: ApplyOptions & { dryRun?: boolean } = {}, actor: Actor = operator) {
    return this.core.configuration.apply(actor, recordsOf(kinds), { kinds: Object.keys(kinds), ...options });
  }

  async fieldsOf(options = {}, actor: Actor = operator): Promise<Kinds> {
    const kinds: Record<string, Kinds[string][number][]> = {};
    for (const { kind, fields } of (await this.core.configuration.export(actor, options)).records)
      kinds[kind] = [...(kinds[kind] ?? []), fields];
    return kinds;
  }

  async errorOf(kinds: Kinds, options?: ApplyOptions, actor?: Actor): Promise<string> {
    return (await rejectionOf(this.apply(kinds, options, actor))).message;
  }

  /** The template of the first company with that code. */
  async template(code: string): Promise<RunTemplateRow> {
    const where = [
      ['code', '=', code],
      ['company_id', '=', 1],
    ] as const;
    const { rows } = await this.core.runTemplates.list(operator, { where });
    return this.core.runTemplates.get(operator, rows[0]?.id ?? 0);
  }
}
