import {
  type AnyResource,
  allResources,
  allTables,
  byRole,
  Core,
  type CoreOptions,
  defineResource,
  integer,
  MemoryStore,
  ref,
  text,
  User,
} from '@horarium/core';
import { NodeDigests, NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import { MovableClock } from '../support/clocks/movable-clock.ts';
import { ScriptedExecutor } from '../support/executors/scripted-executor.ts';
import { QuickHasher } from '../support/secrets/quick-hasher.ts';

const clock = new MovableClock();
const executor = new ScriptedExecutor();
const valid: CoreOptions = {
  version: '1.0.0',
  store: new MemoryStore({ clock, tables: allTables }),
  clock,
  timezone: 'Europe/Prague',
  executors: [executor],
  actions: new Map(),
  eventSourceKinds: new Map(),
  vault: new NodeVault(newVaultKey()),
  passwordHasher: new QuickHasher(),
  digests: new NodeDigests(),
  checkPattern: (pattern) => void new RegExp(pattern),
  host: 'host7',
  pid: 1,
  capacity: 4,
  pingUrl: () => 'http://localhost/',
  loginTtl: 1000,
};

/** Describes a resource, by default one without references; the compiler does not check the options. */
function order(options: object = {}): AnyResource {
  return defineResource({
    name: 'Order',
    names: { singular: 'order', plural: 'orders', id: 'orderId' },
    description: 'An order.',
    example: {},
    operations: ['list', 'get'],
    permissions: byRole({ read: 'viewer', write: 'admin' }),
    company: null,
    fields: { name: text(10) },
    ...options,
  });
}

/** Describes a resource that refers to another one. */
const referring = (to: string) => order({ fields: { other_id: ref(to) } });

const withOrder = (options: object): Partial<CoreOptions> => ({ resources: [...allResources, order(options)] });

const invalidOptions: readonly [title: string, options: Partial<CoreOptions>, message: RegExp][] = [
  ['an unknown time zone', { timezone: 'Mars/Olympus' }, /timezone.*Mars\/Olympus/],
  ['a lease that is too short', { lease: 1999 }, /lease must be from 2000 to 12000 milliseconds, not 1999$/],
  ['a lease that is too long', { lease: 12_001 }, /lease must be .*, not 12001$/],
  ['a lease that is no number', { lease: Number.NaN }, /lease must be .*, not NaN$/],
  ['a negative capacity', { capacity: -1 }, /capacity must be a whole number from 0 on, not -1$/],
  ['a fractional capacity', { capacity: 1.5 }, /capacity must be .*, not 1\.5$/],
  ['a fractional process id', { pid: 0.5 }, /pid must be .*, not 0\.5$/],
  ['a worker without a host', { host: '' }, /host must name the machine$/],
  ['a negative lifetime of login tokens', { loginTtl: -1 }, /loginTtl must be .*, not -1$/],
  ['executors that are no list', { executors: {} as never }, /executors must be a list, such as \[functions/],
  [
    'an option that there is none of',
    { capcity: 1 } as object,
    /^capcity is no option of a core; there are .*capacity/,
  ],
  ['templates of half a number', { maxTemplates: 1.5 }, /maxTemplates must be .*, not 1\.5$/],
  ['a queue of no length', { maxQueued: 0.5 }, /maxQueued must be a whole number from 0 on, or Infinity .*, not 0\.5$/],
  ['a daily limit below zero', { maxOutputPerDay: -1 }, /maxOutputPerDay must be .*, not -1$/],
  ['a daily limit that is no number', { maxArtifactsPerDay: Number.NaN }, /maxArtifactsPerDay must be .*, not NaN$/],
  [
    'resources without one that the service needs',
    { resources: allResources.filter(({ name }) => name !== 'AuditLog') },
    /resources lack AuditLog$/,
  ],
  ['a resource given twice', { resources: [...allResources, User] }, /resources contain User twice$/],
  [
    'a reference to a resource that does not exist',
    { resources: [...allResources, referring('Customer')] },
    /Order\.other_id refers to Customer, which is no resource$/,
  ],
  [
    'a resource before one that it refers to',
    { resources: [referring('Company'), ...allResources] },
    /Order\.other_id refers to Company, which must come before Order$/,
  ],
  [
    'permission rules that read a field that does not exist',
    withOrder({ permissions: byRole({ read: 'viewer', write: 'admin' }, { fields: ['ownr_id'] }) }),
    /Order\.permissions\.fields names ownr_id, which is no field of Order$/,
  ],
  [
    'a summary field that does not exist',
    withOrder({ summaryFields: ['id', 'nmae'] }),
    /Order\.summaryFields names nmae, which is no field of Order$/,
  ],
  [
    'a field to leave out that does not exist',
    withOrder({ secondaryFields: ['nmae'] }),
    /Order\.secondaryFields names nmae, which is no field of Order$/,
  ],
  [
    'a field that leads forms and does not exist',
    withOrder({ leadingFields: ['nmae'] }),
    /Order\.leadingFields names nmae, which is no field of Order$/,
  ],
  [
    'a period that does not exist',
    withOrder({ period: 'shipped_at' }),
    /Order\.period names shipped_at, which is no field of Order$/,
  ],
  ['a key that does not exist', withOrder({ key: ['code'] }), /Order\.key names code, which is no field of Order$/],
  [
    'a company field that does not exist',
    withOrder({ company: 'compny_id' }),
    /Order\.company names compny_id, which is no field of Order$/,
  ],
  [
    'a reference to take the company from that does not exist',
    withOrder({ companyFrom: 'template_id' }),
    /Order\.companyFrom names template_id, which is no field of Order$/,
  ],
  [
    'embedded records without the field that refers to the embedding one',
    withOrder({ computed: [{ embeds: { users: { resource: User, by: 'order_id' } } }] }),
    /Order\.embeds\.users\.by names order_id, which is no field of User$/,
  ],
  [
    'a reference that is named by a field that does not exist',
    withOrder({ fields: { user_id: ref('User', { namedBy: 'logn' }) } }),
    /Order\.user_id\.namedBy names logn, which is no field of User$/,
  ],
];

describe('The options of the core', () => {
  it('are accepted at the bounds of the lease, with no capacity and with further resources', () => {
    for (const lease of [2000, 12_000]) new Core({ ...valid, lease, capacity: 0 });
    new Core({ ...valid, resources: [...allResources, referring('Company')] });
    const computed = [{ fields: { total: integer() }, embeds: { users: { resource: User, by: 'id' } } }];
    new Core({ ...valid, ...withOrder({ computed, summaryFields: ['id', 'name', 'total', 'users'] }) });
  });

  for (const [title, options, message] of invalidOptions)
    it(`are rejected with ${title}`, () => {
      expect(() => new Core({ ...valid, ...options }))
        .to.throw(message)
        .with.property('code', 'invalid');
    });

  it('are rejected with two executors of one name', () => {
    expect(() => new Core({ ...valid, executors: [executor, new ScriptedExecutor()] }))
      .to.throw('Two executors have the name native.')
      .with.property('code', 'conflict');
  });

  it('are rejected with one error that names every invalid option', () => {
    expect(() => new Core({ ...valid, timezone: 'x', lease: 0 }))
      .to.throw()
      .with.property('errors')
      .with.length(2);
  });
});
