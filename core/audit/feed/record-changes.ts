import { badRequest } from '../../errors.ts';
import type { Clock, Milliseconds } from '../../loop/clock.ts';
import { didYouMean } from '../../registry/did-you-mean.ts';
import { memoized } from '../../registry/memoized.ts';
import { visibleTo } from '../../resource/access.ts';
import { type Actor, trustedActor } from '../../resource/actor.ts';
import type { AnyResource } from '../../resource/define-resource.ts';
import { isAdmin } from '../../resource/permissions.ts';
import type { Where } from '../../store/query.ts';
import { isFieldCondition, predicate } from '../../store/where.ts';
import { formatInstant } from '../../time/instant.ts';
import type { AuditEntry } from '../audit-log.ts';
import type { RecordedChange } from '../shared-entries.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { FeedBatch } from './subscriber.ts';

/** A record was created, updated or deleted. Who did it, and the values, are in the audit log and the record. */
export interface ChangeNotice
  extends Pick<AuditEntry, 'id' | 'created_at' | 'action' | 'entity_type' | 'entity_id' | 'company_id'> {
  /** The names of the fields that were changed, and which the audit log shows. */
  readonly fields: readonly string[];
}

export interface RecordChangesOptions {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly resources: readonly AnyResource[];
}

export interface ChangeFilter {
  /** The kinds of records, such as `RunTemplate`. @default all */
  readonly kinds?: readonly string[] | undefined;
  /** Ends the iteration. @default it ends when the core stops */
  readonly signal?: AbortSignal;
}

export interface FollowOptions extends ChangeFilter {
  /** Goes on behind this entry of the audit log's chain. @default the end of the log */
  readonly after?: number | undefined;
  /** After how long without a change an empty batch is yielded. */
  readonly quiet: Milliseconds;
}

/** The changes that an actor may see, of one batch. */
export interface FollowedChanges extends Omit<FeedBatch, 'changes'> {
  readonly changes: readonly ChangeNotice[];
}

/** How many entries of the log a follower catches up with: one that is further behind reads all it shows again. */
const maxBehind = 1000;
/** After how long a follower is authenticated again with its next batch, empty ones too; after a change of accounts at once. */
const checkInterval: Milliseconds = 10_000;

const everyone = trustedActor('embedding program', 'embedded');

/** The changes of the records of all kinds that are audited, as they happen. */
export class RecordChanges {
  readonly #options: RecordChangesOptions;
  readonly #resources: ReadonlyMap<string, AnyResource>;
  /** The kinds of records that decide who may see what. */
  readonly #accounts: ReadonlySet<string>;

  constructor(options: RecordChangesOptions) {
    const { resources } = options;
    this.#options = options;
    this.#resources = new Map(resources.map((resource) => [resource.name, resource]));
    const accounts = resources.filter(({ cacheRegion }) => cacheRegion === 'accounts');
    this.#accounts = new Set(accounts.map(({ name }) => name));
  }

  /**
   * Yields each change of a record that the actor may see, whichever process made it: once, those of one record in order, and
   * every change that is committed after the first read of the store, which the call begins. The iteration ends when the
   * signal aborts or the core stops.
   * @param actor sees the records. @default everything is seen
   * @throws HorariumError `bad_request` for a kind that does not exist.
   */
  watch(actor: Actor = everyone, { kinds, signal }: ChangeFilter = {}): AsyncGenerator<ChangeNotice, void> {
    const chosen = this.#kinds(kinds);
    const work = async ({ changes }: FeedBatch) => this.#visible(changes, actor, chosen);
    return this.#options.feed.watch(work, { signal });
  }

  /**
   * Yields the same in batches for clients that may connect again, and be authenticated again.
   * @param currentActor authenticates the client. The iteration ends with its error.
   * @throws HorariumError `bad_request` for a kind that does not exist.
   */
  follow(currentActor: () => Promise<Actor>, options: FollowOptions): AsyncGenerator<FollowedChanges, void> {
    return this.#follow(currentActor, this.#kinds(options.kinds), options);
  }

  async *#follow(
    currentActor: () => Promise<Actor>,
    kinds: ReadonlySet<string> | null,
    options: FollowOptions,
  ): AsyncGenerator<FollowedChanges, void> {
    const { clock, feed } = this.#options;
    let actor = await currentActor();
    let checkedAt = clock.elapsed();
    for await (const { changes, ...batch } of feed.subscribe({ ...options, maxBehind })) {
      const isDue = clock.elapsed() - checkedAt >= checkInterval;
      if (isDue || changes.some(({ entity_type }) => this.#accounts.has(entity_type))) {
        actor = await currentActor();
        checkedAt = clock.elapsed();
      }
      yield { ...batch, changes: this.#visible(changes, actor, kinds) };
    }
  }

  #kinds(names: readonly string[] | undefined): ReadonlySet<string> | null {
    if (!names) return null;
    const known = [...this.#resources.keys()];
    const unknown = names.find((name) => !this.#resources.has(name));
    if (unknown === undefined) return new Set(names);
    throw badRequest(`There is no resource "${unknown}".${didYouMean(unknown, known)}`);
  }

  #visible(
    changes: readonly RecordedChange[],
    actor: Actor,
    kinds: ReadonlySet<string> | null,
  ): readonly ChangeNotice[] {
    return changes
      .filter((change) => (!kinds || kinds.has(change.entity_type)) && this.#maySee(actor, change))
      .map(noticeOf);
  }

  /** Whether the actor may see the record that was changed, as far as the entry of the audit log tells. */
  #maySee(actor: Actor, { entity_type, entity_id, company_id }: RecordedChange): boolean {
    if (isAdmin(actor)) return true;
    const resource = this.#resources.get(entity_type);
    if (!resource) return false;
    const row = { id: entity_id, ...(resource.company !== null && { [resource.company]: company_id }) };
    return holds(visibleTo(actor, resource) as Where, row);
  }
}

/** Whether a row fulfils conditions, as far as its columns are known: conditions on other columns it does not. */
function holds(where: Where, row: Readonly<Record<string, unknown>>): boolean {
  return where.every((condition) =>
    isFieldCondition(condition)
      ? condition[0] in row && predicate([condition])(row)
      : condition.any.some((branch) => holds(branch, row)),
  );
}

/** Every subscriber gets the same object for a change. */
const noticeOf = memoized(
  ({ id, created_at, action, entity_type, entity_id, company_id, changes }: RecordedChange): ChangeNotice =>
    Object.freeze({ id, created_at, action, entity_type, entity_id, company_id, fields: Object.keys(changes) }),
);

/** A change as channels show it: plain data, as in JSON. */
export function shownChange({ created_at, ...change }: ChangeNotice) {
  return { ...change, created_at: formatInstant(created_at) };
}
