import type { AnyAction } from './action/action.ts';
import { type ActionLists, actionList, noActions, readActionLists } from './action/action-lists.ts';
import { idOf } from './action/listed-action.ts';
import { actionEvents } from './action/notice.ts';
import type { AuditArchive } from './audit/archive/audit-archive.ts';
import type { AnyCalendarRule } from './calendar/calendar-rule.ts';
import { describeFailedDelivery, type FailedDelivery } from './delivery/delivery.ts';
import { assertKnownOptions, errorMessage, type FieldError, HorariumError, invalid } from './errors.ts';
import type { EventSourceKind } from './event/event-source-kind.ts';
import { defaultMaxFanOut } from './event/processor/plan-jobs.ts';
import { type AnyExecutor, userRefusal } from './executor/executor.ts';
import type { Clock, Milliseconds } from './loop/clock.ts';
import { describeBlock, type EventLoopBlock } from './loop/event-loop-watch.ts';
import type { Ticker } from './loop/loop.ts';
import { systemClock } from './loop/system-clock.ts';
import { noDailyLimits } from './quota/daily-usage.ts';
import { keepEverything, type ServiceRetentionRules, serviceRules } from './quota/keep-rules.ts';
import { throwIfInvalid } from './records/input.ts';
import type { ByName } from './registry/missing-extension.ts';
import { trustedActor } from './resource/actor.ts';
import type { AnyResource } from './resource/define-resource.ts';
import type { ExecutorSchemas, RecordServices } from './resource/record-services.ts';
import { resourceErrors } from './resource-errors.ts';
import { allResources } from './resources.ts';
import type { DeletedCounts } from './retention/delete-expired.ts';
import type { PasswordHasher } from './secret/password-hasher.ts';
import type { Vault } from './secret/vault.ts';
import { type ClockChange, describeClockChange } from './service-time/clock-state.ts';
import type { Store } from './store/store.ts';
import { hour } from './time/duration.ts';
import { zoneNamed } from './time/zone.ts';
import type { Digests } from './user/digests.ts';
import type { SignInEvents } from './user/sign-in.ts';
import type { FailureEvents } from './worker/finish/failure-notes.ts';

/** What happens in the background and at the channels, for logs and metrics. */
export interface CoreEvents extends SignInEvents, FailureEvents {
  tickFailed(tick: string, error: unknown, retryIn: Milliseconds): void;
  /** A run template cannot be scheduled; it is retried later. */
  templateFailed(templateId: number, error: unknown): void;
  /** The next time of a maintenance window is not known, for this reason; it is tried again later. */
  maintenanceFailed(windowId: number, problem: string): void;
  /** The lease of this worker ran out, and these jobs were abandoned; none where none ran, as on a busy machine. */
  leaseLost(jobIds: readonly number[]): void;
  workerLost(worker: string, jobs: number): void;
  /** Nothing else was done in this process for a while; see `EventLoopBlock`. */
  eventLoopBlocked(block: EventLoopBlock): void;
  /**
   * These entries of the audit log were inserted without the service, or changed before they were sealed: they are
   * never sealed.
   */
  auditForged(entryIds: readonly number[]): void;
  /** The store's clock jumped, was set back or went back, or an admin confirmed that it is right. */
  clockChanged(change: ClockChange): void;
  /**
   * A delivery of an action did not arrive: at the first try, when it is `pending` and tried again, or for the last time, when
   * it is `failed`. Its record says why.
   */
  deliveryFailed(delivery: FailedDelivery, error: string): void;
  /** These rows were deleted, because they are kept no longer. */
  rowsExpired(counts: DeletedCounts): void;
  /** So many entries of the audit log have left the store for the archive. */
  auditArchived(count: number): void;
  /** Old entries of the audit log stay in the store, because they do not verify or the archive fails; it is tried again. */
  auditNotArchived(error: unknown): void;
}

/** What a core needs: a store, executors, and the ports that `nodePorts` makes. All else has a default. */
export interface CoreOptions {
  readonly store: Store;
  /** What runs the attempts, each by its name. */
  readonly executors: readonly AnyExecutor[];
  /** Its key must outlive the store: a random key serves a store in memory only. */
  readonly vault: Vault;
  readonly digests: Digests;
  readonly passwordHasher: PasswordHasher;
  /** @default that of this machine */
  readonly clock?: Clock;
  /** The service's time zone, an IANA name. @default that of this machine */
  readonly timezone?: string;
  /** The number of jobs that run in this process at once; with 0 it only reads and writes records. @default 10 */
  readonly capacity?: number;
  /** How many active templates one company may have; no further ones can be activated. @default no limit */
  readonly maxTemplates?: number;
  /** How many jobs of one company may wait; no further ones can be scheduled ad hoc. @default no limit */
  readonly maxQueued?: number;
  /** Bytes of output that are stored of one company's jobs in a day of UTC. @default no limit */
  readonly maxOutputPerDay?: number;
  /** The same of artifacts. @default no limit */
  readonly maxArtifactsPerDay?: number;
  /**
   * Bytes that changes of one company's records may write in a day of UTC, or changes of one user that belong to no company.
   * Administrators, this program and jobs are not limited. Counts are stored once the core is started. @default no limit
   */
  readonly maxChangesPerDay?: number;
  /** What is kept of Tasks, jobs, output, events and deliveries, unless templates or companies say so. @default everything */
  readonly retention?: Partial<ServiceRetentionRules>;
  /** Where entries of the audit log go after `retention.auditDays`; `auditFolder` makes one. @default none */
  readonly auditArchive?: AuditArchive | undefined;
  /** The name of this machine; people recognise its worker by it. @default 'localhost' */
  readonly host?: string;
  /** The id of the process; people recognise its worker by it. @default this one */
  readonly pid?: number;
  /** How long a silent worker keeps its jobs, within `leaseBounds`; a dead one is noticed about as late. @default 10 s */
  readonly lease?: Milliseconds | undefined;
  /** @default failures of the service itself are written to the console */
  readonly events?: CoreEvents;
  /** The version of the service or program, which its status shows. @default 'embedded' */
  readonly version?: string;
  /** Every kind of record; the store must have tables for them. @default those of the product */
  readonly resources?: readonly AnyResource[];
  /** @default none */
  readonly actions?: ByName<AnyAction>;
  /** The actions that follow the Tasks and ad hoc jobs of every template. @default none */
  readonly serviceActions?: Partial<ActionLists>;
  /** Returns where people read about a record, by its path: `task/12`. @default notices have no link, as without HTTP */
  recordUrl?(path: string): string | null;
  /** @default none */
  readonly eventSourceKinds?: ByName<EventSourceKind>;
  /** The rules that say which days of calendars are off. @default none */
  readonly calendarRules?: ByName<AnyCalendarRule>;
  /** Further work in the background, which ticks from the start of the core to its stop. @default none */
  readonly tickers?: readonly Ticker[];
  /**
   * Checks the patterns of artifacts; executors match them.
   * @throws Error that says why this is not a regular expression which can be matched in linear time.
   * @default every regular expression of JavaScript is accepted
   */
  checkPattern?(pattern: string): void;
  /**
   * Whether the pattern of an artifact matches any part of a path.
   * @default the pattern is a regular expression of JavaScript
   */
  matchesPattern?(pattern: string, path: string): boolean;
  /** How many jobs one event rule may make of one event. @default 1000 */
  readonly maxFanOut?: number;
  /** Returns the URL to which a job sends its heartbeats. @default none, because a core has no HTTP server of its own */
  pingUrl?(jobId: number, key: string): string;
  /** How long a token or session that was issued by signing in is valid. @default 12 hours */
  readonly loginTtl?: Milliseconds;
}

const ports = ['store', 'vault', 'digests', 'passwordHasher'] as const;
const withoutDefault = [...ports, 'executors', 'lease', 'auditArchive'] as const;

/** The options of a core with their defaults. */
export type CompleteOptions = Required<Omit<CoreOptions, 'lease' | 'auditArchive' | 'serviceActions' | 'retention'>> &
  Pick<CoreOptions, 'lease' | 'auditArchive'> & {
    readonly serviceActions: ActionLists;
    readonly retention: ServiceRetentionRules;
  };

/**
 * Adds the defaults to the options of a core, and checks them.
 * @throws HorariumError `invalid` when a port is missing, a store that outlives this process has a vault that does not, or
 *   naming every option that is invalid or that there is none of.
 */
export function completeCoreOptions(given: CoreOptions): CompleteOptions {
  assertPorts(given);
  const defaults = {
    clock: systemClock,
    timezone: given.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    capacity: 10,
    maxTemplates: Infinity,
    maxQueued: Infinity,
    ...noDailyLimits,
    retention: {},
    host: 'localhost',
    pid: process.pid,
    events: consoleEvents,
    version: 'embedded',
    resources: allResources,
    actions: new Map(),
    serviceActions: {},
    recordUrl: () => null,
    eventSourceKinds: new Map(),
    calendarRules: new Map(),
    tickers: [],
    checkPattern: (pattern: string) => void new RegExp(pattern),
    matchesPattern: (pattern: string, path: string) => new RegExp(pattern).test(path),
    maxFanOut: defaultMaxFanOut,
    pingUrl: () => '',
    loginTtl: 12 * hour,
  };
  assertKnownOptions('a core', given, [...Object.keys(defaults), ...withoutDefault]);
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const merged = { ...defaults, ...(Object.fromEntries(present) as unknown as CoreOptions) };
  const retention = serviceRules(merged.retention);
  const options: CompleteOptions = { ...merged, retention, serviceActions: checkedActions(merged) };
  checkOptions(options);
  return options;
}

/** Checks the service's own actions like the lists of a record. @throws HorariumError `invalid` naming what is wrong. */
function checkedActions({
  serviceActions,
  actions,
}: Pick<CompleteOptions, 'actions'> & Pick<CoreOptions, 'serviceActions'>) {
  const errors: FieldError[] = [];
  const unknown = Object.keys(serviceActions ?? {}).filter((name) => !actionEvents.some((event) => event === name));
  for (const name of unknown)
    errors.push({ field: name, message: `${name} is not an event: the events are ${actionEvents.join(', ')}` });
  const lists = { ...noActions(), ...serviceActions };
  for (const event of actionEvents) {
    const isList = actionList.isValidSync(lists[event], { strict: true });
    lists[event] = isList ? lists[event].map((listed, position) => ({ ...listed, id: idOf(listed, position) })) : [];
    if (isList) continue;
    errors.push({
      field: event,
      message: `${event} must be a list such as [{"action": "email", "to": "me@example.com"}]`,
    });
  }
  const actor = trustedActor('the operator');
  const read = readActionLists(lists, { before: undefined, service: { actions }, actor, errors });
  throwIfInvalid('The list of actions of the service', errors);
  return read;
}

function assertPorts(given: Partial<CoreOptions> = {}): void {
  const { store, vault } = given;
  const missing = ports.filter((name) => !given[name]);
  if (missing.length > 0)
    throw new HorariumError(
      'invalid',
      `A core needs ${missing.join(', ')}: memoryStore() of @horarium/core makes a store, nodePorts() of @horarium/core/node all else.`,
    );
  if (vault?.isEphemeral && store?.kind !== 'memory')
    throw new HorariumError(
      'invalid',
      `The store ${store?.kind} outlives this process, but the random key of its vault does not, so that its secrets would be lost. Give nodePorts() a vaultKey, or a vaultKeyFile where it may create one.`,
    );
}

/** Returns the services that records need, of those of a core. */
export function recordServicesOf(
  options: CompleteOptions,
  executors: ExecutorSchemas,
  passwordHasher: PasswordHasher,
): RecordServices {
  const { timezone, maxTemplates, actions, eventSourceKinds, calendarRules, vault } = options;
  const checkPattern = (pattern: string) => options.checkPattern(pattern);
  return {
    timezone,
    maxTemplates,
    executors,
    actions,
    eventSourceKinds,
    calendarRules,
    vault,
    passwordHasher,
    userRefusal: (user) => userRefusal(options.executors, user),
    checkPattern,
  };
}

/** Writes what an operator must know to the console. */
const consoleEvents: CoreEvents = {
  tickFailed: (tick, error, retryIn) =>
    console.error(`The ${tick} failed and is tried again in ${retryIn} ms: ${errorMessage(error)}`),
  templateFailed: (id, error) => console.error(`RunTemplate ${id} cannot be scheduled: ${errorMessage(error)}`),
  maintenanceFailed: (id, problem) => console.error(`MaintenanceWindow ${id} cannot be planned: ${problem}`),
  leaseLost(jobIds) {
    if (jobIds.length > 0)
      console.error(`The lease of this worker ran out; these jobs were abandoned: ${jobIds.join(', ')}`);
  },
  workerLost: (worker, jobs) => console.error(`The lease of the worker ${worker} ran out with ${jobs} jobs.`),
  eventLoopBlocked: (block) => console.error(describeBlock(block)),
  auditForged: (ids) => console.error(`These entries of the audit log are forged, and not sealed: ${ids.join(', ')}`),
  clockChanged: (change) => console.error(describeClockChange(change)),
  rowsExpired: () => undefined,
  auditArchived: () => undefined,
  auditNotArchived: (error) =>
    console.error(`The audit log is not archived; it is tried again: ${errorMessage(error)}`),
  deliveryFailed: (delivery, error) => console.error(describeFailedDelivery(delivery, error)),
  // What becomes of Tasks and jobs is for the program to read; the service itself has not failed.
  taskUnmet: () => undefined,
  jobFailed: () => undefined,
};

/**
 * The shortest and the longest lease of a worker. The maximum leaves time for one poll of the leases, so that the jobs of a
 * dead worker are noticed within 15 s.
 */
export const leaseBounds: { readonly min: Milliseconds; readonly max: Milliseconds } = { min: 2000, max: 12_000 };

/** Checks the options that no type can. @throws HorariumError `invalid` naming every invalid option. */
function checkOptions(options: CompleteOptions): void {
  const { timezone, lease, loginTtl, capacity, host, pid, resources } = options;
  const { maxTemplates, maxQueued, maxOutputPerDay, maxArtifactsPerDay, maxChangesPerDay } = options;
  const limits = { maxTemplates, maxQueued, maxOutputPerDay, maxArtifactsPerDay, maxChangesPerDay };
  const errors: FieldError[] = [];
  if (!Array.isArray(options.executors))
    throw invalid('CoreOptions', [
      { field: 'executors', message: 'executors must be a list, such as [functions({ … })]' },
    ]);
  const addError = (field: string, message: string) => errors.push({ field, message });
  try {
    zoneNamed(timezone);
  } catch (error) {
    addError('timezone', errorMessage(error));
  }
  const { min, max } = leaseBounds;
  if (lease !== undefined && !(lease >= min && lease <= max))
    addError('lease', `lease must be from ${min} to ${max} milliseconds, not ${lease}`);
  for (const [field, value] of Object.entries({ loginTtl, capacity, pid }))
    if (!Number.isSafeInteger(value) || value < 0)
      addError(field, `${field} must be a whole number from 0 on, not ${value}`);
  if (!Number.isSafeInteger(options.maxFanOut) || options.maxFanOut < 1)
    addError('maxFanOut', `maxFanOut must be a whole number from 1 on, not ${options.maxFanOut}`);
  for (const [field, value] of Object.entries(limits))
    if (value !== Infinity && (!Number.isSafeInteger(value) || value < 0))
      addError(field, `${field} must be a whole number from 0 on, or Infinity for no limit, not ${value}`);
  for (const [name, value] of Object.entries(options.retention))
    if (!(name in keepEverything))
      addError('retention', `retention has no ${name}: it has ${Object.keys(keepEverything).join(', ')}`);
    else if (value !== Infinity && (!Number.isSafeInteger(value) || value < 1))
      addError(
        'retention',
        `retention.${name} must be a whole number from 1 on, or Infinity for no limit, not ${value}`,
      );
  if (options.retention.auditDays !== Infinity && !options.auditArchive)
    addError('auditArchive', 'auditArchive must say where entries of the audit log go after retention.auditDays');
  if (!host) addError('host', 'host must name the machine');
  for (const message of resourceErrors(resources)) addError('resources', message);
  if (errors.length > 0) throw invalid('CoreOptions', errors);
}
