import type { Claim } from '../attempt/claim-jobs.ts';
import type { PreparedAttempt } from '../attempt/live-attempt.ts';
import type { Shown } from '../attempt/start-jobs.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import type { ArtifactFile, Executor } from '../executor/executor.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import type { LeaseTimes, WorkerIdentity } from './worker-lease.ts';

export interface RunnerOptions {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly executors: ReadonlyMap<string, Executor>;
  /** How many jobs run at once; 0 = this process runs none. */
  readonly capacity: number;
  readonly times: LeaseTimes;
  /** How long to wait at most before looking for jobs that others made. */
  readonly poll: Milliseconds;
  /** Who this process is; asked again when it has lost a lease and begins a new life. */
  identify(): WorkerIdentity;
  /** Resolves environment, arguments and secrets of claimed jobs. */
  prepare(tables: Tables, claims: readonly Claim[]): Promise<readonly Prepared[]>;
  /** Keeps the files that a job made, in the transaction that ends it. */
  storeArtifacts(tables: Tables, jobId: number, files: readonly ArtifactFile[]): Promise<void>;
  /** Asks for a tick soon. */
  wake(): void;
  /** The lease ran out: these jobs were given up. */
  onLeaseLost?(jobIds: readonly number[]): void;
}

export interface Prepared extends PreparedAttempt {
  readonly claim: Claim;
  readonly shown: Shown;
  /** Why it cannot be started at all: something required is missing. */
  readonly refusal: string | null;
}
