import type {
  Actor,
  AnyResource,
  Clock,
  EventSources,
  ExternalJobs,
  Heartbeats,
  IdempotencyKeys,
  Jobs,
  ListQuery,
  Page,
  PasswordChange,
  RemoveOptions,
  Reports,
  Roles,
  Saved,
  SaveOptions,
  ServiceFigures,
  SignIn,
  Tables,
  Tokens,
  TransactionHooks,
} from '@horarium/core';

/** A row whose fields do not matter here. */
// biome-ignore lint/suspicious/noExplicitAny: rows of every kind pass through, and only descriptions know their fields.
export type AnyRow = any;

/** What the routes of a resource call. */
export interface HttpRecords {
  list(actor: Actor, list: ListQuery): Promise<Page<AnyRow>>;
  pages(actor: Actor, list: ListQuery): AsyncIterable<AnyRow[]>;
  count(actor: Actor, list: ListQuery, most: number): Promise<number>;
  get(actor: Actor, id: number): Promise<AnyRow>;
  save(
    actor: Actor,
    input: unknown,
    options: SaveOptions,
    hooks?: TransactionHooks<Saved<AnyRow>>,
  ): Promise<Saved<AnyRow>>;
  remove(actor: Actor, id: number, options?: RemoveOptions): Promise<void>;
}

/** All that the HTTP channel asks of the core. */
export interface HttpCore {
  readonly version: string;
  readonly clock: Clock;
  /** IANA name: dates without a time in filters mean days there. */
  readonly timezone: string;
  readonly resources: readonly AnyResource[];
  records(name: string): HttpRecords;
  /** Rows as channels show them; `item` may cost more than `list`. Inside an open transaction it must be given that one's tables. */
  show(
    resource: AnyResource,
    rows: readonly AnyRow[],
    detail: 'item' | 'list',
    tables?: Tables,
  ): Promise<readonly Record<string, unknown>[]>;
  readonly signIn: Pick<SignIn, 'withToken' | 'withPassword'>;
  readonly tokens: Pick<Tokens, 'mintForLogin' | 'revoke'>;
  readonly passwordChange: Pick<PasswordChange, 'change'>;
  readonly roles: Pick<Roles, 'list' | 'set'>;
  readonly eventSources: Pick<EventSources, 'test'>;
  readonly reports: Pick<Reports, 'artifact' | 'preview' | 'taskSummary'>;
  readonly jobs: Pick<Jobs, 'schedule' | 'change' | 'cancel' | 'output'>;
  readonly externalJobs: Pick<ExternalJobs, 'claim' | 'report'>;
  readonly repeats: Pick<IdempotencyKeys, 'begin' | 'keep' | 'keepRefusal'>;
  readonly heartbeats: Pick<Heartbeats, 'note'>;
  status(actor: Actor): Promise<Readonly<Record<string, unknown>>>;
  vitals(): Promise<ServiceFigures>;
  /** Whether it should be given work: the database answers, and it was not told to stop. */
  isReady(): Promise<boolean>;
}
