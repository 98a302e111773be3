import {
  type Actor,
  AuditLog,
  allTables,
  type CompanyRole,
  choice,
  count,
  type FieldError,
  type Fields,
  flag,
  HorariumError,
  type RecordServices,
  type Role,
  text,
  trustedActor,
} from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { NodeVault } from '@horarium/core/node';
import { AuditedStore } from '#core/audit/audited-store';
import { Records } from '#core/records/records';
import type { ExecutorSchema } from '#core/resource/record-services';
import { findResource } from '#core/resources';
import { argon2Hasher } from '../../../adapters/node/password-hasher.ts';
import { forbiddenVariables } from '../../../plugins/executor-native/forbidden-variables.ts';
import { externalExecutors } from '../executors/external-executors.ts';
import { rejectionOf } from '../mocha/rejection-of.ts';
import { testSigner } from '../secrets/test-hmac.ts';
import { openTestStore } from '../store/test-store.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read rows of every kind.
export type AnyRow = any;

const registryOf = (items: Record<string, Fields>) =>
  new Map(Object.entries(items).map(([name, options]) => [name, { options }]));

type ActionSchema = NonNullable<ReturnType<RecordServices['actions']['get']>>;

/** The key of the vault of `recordServices`. */
export const vaultKey = Buffer.alloc(32, 7).toString('base64');

const limits = {
  private_network: flag(false, { restricts: true }),
  memory_max: count(0, { restricts: true }).nullable(),
};

/** A rule that takes off the first day of each month from `from` on. */
const monthStarts = {
  options: { from: count(1).min(1).max(12) },
  daysOff: ({ from }: Readonly<Record<string, unknown>>, year: number) =>
    Array.from({ length: 13 - (from as number) }, (_, index) => ({
      date: `${year}-${String((from as number) + index).padStart(2, '0')}-01`,
      name: 'first of the month',
    })),
};

/** What records need of the service: executors, actions and event sources, each kind with a secret option. */
export const recordServices: RecordServices = {
  timezone: 'Europe/Prague',
  maxTemplates: Infinity,
  executors: new Map<string, ExecutorSchema>([
    [
      'native',
      {
        options: { ...limits, user: text(64, { restricts: true }), nice: count(0).max(19) },
        forbiddenVariables,
        refuse: ({ user }) => (user === 'refused' ? 'refused is no user of jobs' : null),
      },
    ],
    ['remote', { options: { host: text(64).required(), key: text(1024, { secret: 'encrypted' }) } }],
    ['container', { options: { ...limits, grace: count(10) }, recognizes: ({ oci_image }) => oci_image !== null }],
    [
      'request',
      {
        options: { authorization: text(1024, { secret: 'encrypted' }), method: text(10) },
        recognizes: ({ executable }) => executable === 'request' || executable.startsWith('https:'),
        addressOf: ({ executable, arguments: [url = ''] }) => (executable === 'request' ? url : executable),
      },
    ],
    ...externalExecutors(),
  ]),
  actions: new Map<string, ActionSchema>([
    ...registryOf({
      webhook: { url: text(1024).required(), secret: text(1024, { secret: 'encrypted' }) },
      log: { level: choice(['info', 'error']) },
    }),
    ['command', { options: { program: text(1024).required() }, adminOnly: true }],
    ['tell', { options: { to: text(100) } }],
    ['siren', { options: { token: text(1024, { secret: 'encrypted' }) } }],
    [
      'chat',
      {
        options: {
          room: text(1024, { secret: 'encrypted' }).required(),
          token: text(1024, { secret: 'encrypted' }),
          subject: text(100),
        },
        address: ['room'],
      },
    ],
  ]),
  eventSourceKinds: new Map([
    [
      'changes-table',
      {
        options: { host: text(255).required(), port: count(1), password: text(255, { secret: 'encrypted' }) },
        address: ['host', 'port'],
      },
    ],
    ['feed', { options: { password: text(255, { secret: 'encrypted' }) } }],
  ]),
  calendarRules: new Map([['month-starts', monthStarts]]),
  vault: new NodeVault(vaultKey),
  passwordHasher: argon2Hasher,
  userRefusal: (user) => (user === 'acme-jobs' ? null : 'only acme-jobs is allowed'),
  checkPattern: (pattern) => void new RegExp(pattern),
};

export const root = trustedActor('root', 'embedded');

export function user(userId: number, roles: readonly Role[], memberships: Record<number, CompanyRole> = {}): Actor {
  const entries = Object.entries(memberships).map(([id, role]): [number, CompanyRole] => [Number(id), role]);
  const name = `user ${userId}`;
  const where = { channel: 'http', ip: null, network: null, requestId: null } as const;
  return { ...where, name, userId, roles: new Set(roles), memberships: new Map(entries) };
}

/** What records need besides their resource. */
export function recordsContext(store: AuditedStore) {
  return { store, findResource, service: recordServices, tables: allTables };
}

/** An empty store in memory with the records of every resource, called as the channels call them. */
export function recordWorld() {
  const clock = new StandingClock();
  const memory = openTestStore(clock);
  const store = new AuditedStore(memory, testSigner);
  const context = recordsContext(store);
  const records = (name: string) => new Records<AnyRow>(findResource(name), context);
  return {
    store,
    /** The store below the audit log, with its checks of transactions. */
    database: memory,
    records,
    advance: (milliseconds: number) => {
      clock.at += milliseconds;
    },
    async save(name: string, input: object, actor: Actor = root): Promise<AnyRow> {
      return records(name).save(actor, input);
    },
    /** The entries of the audit log, oldest first. */
    audit: () => store.read((tables) => tables.of(AuditLog).find()),
  };
}

export type RecordWorld = ReturnType<typeof recordWorld>;

/** Creates an app, a company and a template of both. */
export async function smallCompany(world: RecordWorld, code = 'acme') {
  const app = await world.save('App', { name: `app of ${code}`, executable: '/bin/true' });
  const company = await world.save('Company', { code, name: code });
  const fields = { name: 'nightly', app_id: app.id, company_id: company.id, interval: 'daily' };
  const template = await world.save('RunTemplate', fields);
  return { app, company, template };
}

/** The error of the core that the work is refused with. @throws Error when it succeeds or fails otherwise. */
export async function refusal(work: Promise<unknown>): Promise<HorariumError> {
  const error = await rejectionOf(work);
  if (error instanceof HorariumError) return error;
  throw error;
}

/** The fields that the work is refused for. */
export async function invalidFields(work: Promise<unknown>): Promise<string[]> {
  const error = await refusal(work);
  if (error.code !== 'invalid') throw error;
  return error.errors.map(({ field }: FieldError) => field);
}
