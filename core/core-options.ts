import { errorMessage, type FieldError, invalid } from './errors.ts';
import type { EventSourceKind } from './event/event-source-kind.ts';
import type { AnyExecutor } from './executor/executor.ts';
import type { Clock, Milliseconds } from './loop/clock.ts';
import type { AnyResource } from './resource/define-resource.ts';
import type { RecordServices } from './resource/record-services.ts';
import { resourceErrors } from './resource-errors.ts';
import { allResources } from './resources.ts';
import type { Store } from './store/store.ts';
import { zoneNamed } from './time/zone.ts';
import type { Digests } from './user/digests.ts';
import type { SignInEvents } from './user/sign-in.ts';

/** What happens in the background and at the channels, for logs and metrics. */
export interface CoreEvents extends SignInEvents {
  tickFailed(tick: string, error: unknown, retryIn: Milliseconds): void;
  /** A run template cannot be scheduled; it is retried later. */
  templateFailed(templateId: number, error: unknown): void;
  /** The lease of this worker ran out, and these jobs were abandoned; none where none ran, as on a busy machine. */
  leaseLost(jobIds: readonly number[]): void;
  workerLost(worker: string, jobs: number): void;
}

/** The ports that the core is built on, and its settings. */
export interface CoreOptions extends RecordServices {
  readonly version: string;
  /** Every kind of record; the store must have tables for them. @default those of the product */
  readonly resources?: readonly AnyResource[];
  readonly store: Store;
  readonly clock: Clock;
  readonly executors: ReadonlyMap<string, AnyExecutor>;
  readonly eventSourceKinds: { get(name: string): EventSourceKind | undefined };
  readonly digests: Digests;
  /** The machine and the process, and how many jobs may run in it at once. */
  readonly worker: { readonly host: string; readonly pid: number; readonly capacity: number };
  pingUrl(jobId: number, key: string): string;
  /** How long a token lives that was issued by signing in. */
  readonly loginTtl: Milliseconds;
  /** How long a silent worker keeps its jobs, within `leaseBounds`; a dead one is noticed about as late. @default 10 s */
  readonly lease?: Milliseconds;
  readonly events: CoreEvents;
}

/**
 * The shortest and the longest lease of a worker. The maximum leaves time for one poll of the leases, so that the jobs of a
 * dead worker are noticed within 15 s.
 */
export const leaseBounds: { readonly min: Milliseconds; readonly max: Milliseconds } = { min: 2000, max: 12_000 };

/** Checks the options that no type can. @throws HorariumError `invalid` naming every invalid option. */
export function checkOptions(options: CoreOptions): void {
  const { timezone, lease, loginTtl, worker, executors, resources = allResources } = options;
  const errors: FieldError[] = [];
  const addError = (field: string, message: string) => errors.push({ field, message });
  try {
    zoneNamed(timezone);
  } catch (error) {
    addError('timezone', errorMessage(error));
  }
  const { min, max } = leaseBounds;
  if (lease !== undefined && !(lease >= min && lease <= max))
    addError('lease', `lease must be from ${min} to ${max} milliseconds, not ${lease}`);
  for (const [field, value] of Object.entries({
    loginTtl,
    'worker.capacity': worker.capacity,
    'worker.pid': worker.pid,
  }))
    if (!Number.isSafeInteger(value) || value < 0)
      addError(field, `${field} must be a whole number from 0 on, not ${value}`);
  if (!worker.host) addError('worker.host', 'worker.host must name the machine');
  for (const [key, { name }] of executors)
    if (key !== name)
      addError(`executors.${key}`, `executors.${key} is the executor ${name}: its key must be its name`);
  for (const message of resourceErrors(resources)) addError('resources', message);
  if (errors.length > 0) throw invalid('CoreOptions', errors);
}
