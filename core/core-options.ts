import type { EventSourceKind } from './event/event-source-kind.ts';
import type { AnyExecutor } from './executor/executor.ts';
import type { Clock, Milliseconds } from './loop/clock.ts';
import type { AnyResource } from './resource/define-resource.ts';
import type { OptionSchemas } from './resource/record-services.ts';
import type { PasswordHasher } from './secret/password-hasher.ts';
import type { Vault } from './secret/vault.ts';
import type { Store } from './store/store.ts';
import type { Digests } from './user/digests.ts';
import type { SignInEvents } from './user/sign-in.ts';

/** What happens in the background and at the channels, for whoever writes logs and metrics. */
export interface CoreEvents extends SignInEvents {
  tickFailed(tick: string, error: unknown, retryIn: Milliseconds): void;
  templateFailed(templateId: number, error: unknown): void;
  leaseLost(jobIds: readonly number[]): void;
  workerLost(worker: string, jobs: number): void;
}

export interface CoreOptions {
  readonly version: string;
  /** Every kind of record that the service has; the store must have tables for them. Left out: those of the specification. */
  readonly resources?: readonly AnyResource[];
  readonly store: Store;
  readonly clock: Clock;
  /** The service's time zone, an IANA name. */
  readonly timezone: string;
  readonly executors: ReadonlyMap<string, AnyExecutor>;
  readonly actions: OptionSchemas;
  readonly eventSourceKinds: { get(name: string): EventSourceKind | undefined };
  readonly vault: Vault;
  readonly passwords: PasswordHasher;
  readonly digests: Digests;
  /** @throws Error that says why this is no regular expression which can be matched in linear time. */
  checkPattern(pattern: string): void;
  /** The machine and the process, and how many jobs may run in it at once. */
  readonly worker: { readonly host: string; readonly pid: number; readonly capacity: number };
  pingUrl(jobId: number, key: string): string;
  /** How long a token lives that was got by signing in. */
  readonly loginTtl: Milliseconds;
  /** How long a silent worker keeps its jobs; 10 s when left out. A dead one is noticed about as late. */
  readonly lease?: Milliseconds;
  readonly events: CoreEvents;
}
