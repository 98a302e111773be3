import { hostname } from 'node:os';
import {
  type Clock,
  Core,
  type CoreEvents,
  type Digests,
  type PasswordHasher,
  type Registries,
  type Vault,
} from '@horarium/core';
import { ContainerModule } from 'inversify';
import { basePath } from '../../adapters/http/base-path.ts';
import type { OpenedStore } from '../../adapters/mikro-orm/open-store.ts';
import { checkPattern } from '../../adapters/node/check-pattern.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';
import { serviceIds } from '../service-ids.ts';
import { version } from '../version.ts';

/** The options of the core that differ between the service and a command, and so are not settings. */
export interface CoreModuleOptions {
  readonly model: RecordModel;
  /** The maximum number of jobs that run at once; 0 for a process that only reads and writes records. */
  readonly capacity: number;
  /** Returns the URL of the service, without the base path. */
  address(): string;
  readonly events: CoreEvents;
}

/** Provides the core, which needs every other module. */
export function coreModule({ model, capacity, address, events }: CoreModuleOptions): ContainerModule {
  const make = (
    config: Config,
    clock: Clock,
    { store }: OpenedStore,
    vault: Vault,
    passwordHasher: PasswordHasher,
    digests: Digests,
    registries: Registries,
  ): Core =>
    new Core({
      version,
      resources: model.resources,
      store,
      clock,
      vault,
      passwordHasher,
      digests,
      events,
      checkPattern,
      timezone: config.timezone,
      loginTtl: config.login_ttl,
      lease: config.lease,
      executors: [...registries.executors],
      eventSourceKinds: registries.eventSourceKinds,
      host: hostname(),
      capacity,
      pingUrl: (job, key) => `${address()}${basePath}/ping.json?${new URLSearchParams({ job: String(job), key })}`,
    });
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.core).toResolvedValue(make, [
      serviceIds.config,
      serviceIds.clock,
      serviceIds.openedStore,
      serviceIds.vault,
      serviceIds.passwordHasher,
      serviceIds.digests,
      serviceIds.registries,
    ]);
  });
}

/** Ignores every event, because commands run nothing in the background. */
export const noEvents: CoreEvents = {
  tickFailed: () => {},
  templateFailed: () => {},
  leaseLost: () => {},
  workerLost: () => {},
};
