import {
  type AnyAction,
  allResources,
  Core,
  type CoreEvents,
  type CoreOptions,
  type EventLoopBlock,
  type EventSourceKind,
  type Hmac,
  type HorariumError,
  type Role,
  type SignInNote,
  tablesOf,
  trustedActor,
  User,
} from '@horarium/core';
import { NodeDigests, NodeVault, newVaultKey } from '@horarium/core/node';
import { MovableClock } from '../clocks/movable-clock.ts';
import { externalExecutors } from '../executors/external-executors.ts';
import { ScriptedExecutor } from '../executors/scripted-executor.ts';
import { QuickHasher } from '../secrets/quick-hasher.ts';
import { addUser } from '../store/add-user.ts';
import { BreakableStore } from '../store/breakable-store.ts';
import { openTestStore } from '../store/test-store.ts';

/** The whole core on a store in memory, with the fakes that a test controls as its properties. */
export class MemoryCore extends Core {
  declare readonly clock: MovableClock;
  readonly vault: NodeVault;
  readonly digests: NodeDigests;
  readonly passwordHasher: QuickHasher;
  readonly executor: ScriptedExecutor;
  readonly database: BreakableStore;
  /** The HMAC that seals the audit log. */
  readonly auditHmac: Hmac;
  /** The key in the PING_URL of each job that was started. */
  readonly pingKeys: Map<number, string>;
  readonly eventSourceKinds: Map<string, EventSourceKind>;
  readonly actions: Map<string, AnyAction>;
  /** The logins that succeeded, with a null code, and those that were refused. */
  readonly signIns: (SignInNote & { readonly code: string | null })[];
  /** Called for each failure; none when a test sets nothing. */
  readonly failures: { -readonly [K in 'taskUnmet' | 'jobFailed']?: CoreEvents[K] };
  /** What blocked the event loop by the clock of the test. */
  readonly blocks: EventLoopBlock[];

  constructor(given: Partial<CoreOptions> = {}) {
    const clock = new MovableClock();
    const parts = { digests: new NodeDigests(), passwordHasher: new QuickHasher(), executor: new ScriptedExecutor() };
    const database = new BreakableStore(openTestStore(clock, tablesOf(given.resources ?? allResources)));
    const vault = new NodeVault(newVaultKey());
    const pingKeys = new Map<number, string>();
    const signIns: (SignInNote & { readonly code: string | null })[] = [];
    const blocks: EventLoopBlock[] = [];
    const failures: MemoryCore['failures'] = {};
    const actions = new Map<string, AnyAction>();
    const eventSourceKinds = new Map<string, EventSourceKind>();
    super({
      digests: parts.digests,
      passwordHasher: parts.passwordHasher,
      version: '0.0.0-test',
      store: database,
      clock,
      timezone: 'Europe/Prague',
      executors: [parts.executor, ...externalExecutors().map(([, executor]) => executor)],
      actions,
      eventSourceKinds,
      vault,
      checkPattern: (pattern) => void new RegExp(pattern),
      host: 'test',
      capacity: 4,
      pingUrl: (jobId, key) => {
        pingKeys.set(jobId, key);
        return `http://localhost/api/v1/ping?job=${jobId}&key=${key}`;
      },
      loginTtl: 12 * 3_600_000,
      ...given,
      events: {
        // Only tests make the store unavailable.
        tickFailed: (tick, error) => {
          if ((error as Partial<HorariumError>).code !== 'unavailable') console.error(`${tick} failed`, error);
        },
        templateFailed: (id, error) => console.error(`template ${id} failed`, error),
        maintenanceFailed: (id, problem) => console.error(`maintenance window ${id} failed`, problem),
        leaseLost: () => undefined,
        workerLost: () => undefined,
        auditForged: (ids) => console.error('forged audit entries', ids),
        clockChanged: () => undefined,
        deliveryFailed: () => undefined,
        rowsExpired: () => undefined,
        auditArchived: () => undefined,
        auditNotArchived: () => undefined,
        taskUnmet: (task) => failures.taskUnmet?.(task),
        jobFailed: (job) => failures.jobFailed?.(job),
        eventLoopBlocked: (block) => void blocks.push(block),
        signedIn: (note) => void signIns.push({ ...note, code: null }),
        signInRefused: (note, code) => void signIns.push({ ...note, code }),
      },
    });
    this.blocks = blocks;
    this.failures = failures;
    this.vault = vault;
    this.digests = parts.digests;
    this.passwordHasher = parts.passwordHasher;
    this.executor = parts.executor;
    this.database = database;
    this.auditHmac = vault.hmac(vault.signingKey('audit'));
    this.pingKeys = pingKeys;
    this.signIns = signIns;
    this.actions = actions;
    this.eventSourceKinds = eventSourceKinds;
  }

  /** Creates a user and returns its id. */
  async addUser(login: string, password: string, role: Role | null = 'super_admin'): Promise<number> {
    return addUser(this.store, { login, password: await this.passwordHasher.hash(password), role });
  }

  /** Changes a user directly in the store. */
  async changeUser(id: number, set: object): Promise<void> {
    await this.store.transaction(trustedActor('test'), async (tables) => {
      const [row] = await tables.of(User).find({ where: [['id', '=', id]] });
      await tables.of(User).update([{ row: row as NonNullable<typeof row>, set }]);
    });
  }

  /** Creates a token for a user. */
  async createToken(login: string, ttl: number | null = null): Promise<{ secret: string; id: number }> {
    const { secret, row } = await this.tokens.issue(trustedActor('test'), { login, name: null, ttl });
    return { secret, id: row.id };
  }
}
