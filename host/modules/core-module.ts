import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  type Clock,
  Core,
  type CoreEvents,
  type Digests,
  type Milliseconds,
  type PasswordHasher,
  type Registries,
  type Store,
  tickerOf,
  type Vault,
} from '@horarium/core';
import { auditFolder } from '@horarium/core/node';
import { ContainerModule } from 'inversify';
import { basePath } from '../../adapters/http/base-path.ts';
import { checkPattern, matchesPattern } from '../../adapters/node/check-pattern.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';
import { type ServiceAddress, serviceIds } from '../service-ids.ts';
import { version } from '../version.ts';

/** The options of the core that differ between the service and a command, and so are not settings. */
interface CoreModuleOptions {
  /** The maximum number of jobs that run at once; 0 for a process that only reads and writes records. */
  readonly capacity: number;
  /** The time that jobs may go on when the host is disposed of before the core was stopped, in milliseconds. */
  readonly grace: Milliseconds;
  /** The folder where relative paths start. */
  readonly folder: string;
}

/** Provides the core, which needs every other module. */
export function coreModule({ capacity, grace, folder }: CoreModuleOptions): ContainerModule {
  const make = (
    config: Config,
    address: ServiceAddress,
    events: CoreEvents,
    clock: Clock,
    model: RecordModel,
    store: Store,
    vault: Vault,
    passwordHasher: PasswordHasher,
    digests: Digests,
    registries: Registries,
  ): Core => {
    const core = new Core({
      version,
      resources: model.resources,
      store,
      clock,
      vault,
      passwordHasher,
      digests,
      events,
      checkPattern,
      matchesPattern,
      timezone: config.timezone,
      loginTtl: config.login_ttl,
      lease: config.lease,
      executors: [...registries.executors],
      actions: registries.actions,
      serviceActions: config.actions,
      recordUrl: (path) => `${address.url}${basePath}/${path}.html`,
      eventSourceKinds: registries.eventSourceKinds,
      calendarRules: registries.calendarRules,
      tickers: [...registries.tickers].map((ticker) => tickerOf(ticker, () => core)),
      host: hostname(),
      capacity,
      maxTemplates: config.max_templates,
      maxQueued: config.max_queued,
      maxFanOut: config.max_fan_out,
      maxOutputPerDay: config.max_output_per_day,
      maxArtifactsPerDay: config.max_artifacts_per_day,
      maxChangesPerDay: config.max_changes_per_day,
      retention: {
        days: config.retention_days,
        filesDays: config.retention_files_days,
        last: config.retention_last,
        rowsPerCompany: config.retention_max_rows,
        auditDays: config.retention_audit_days,
      },
      auditArchive: auditFolder(resolve(folder, config.audit_archive)),
      pingUrl: (job, key) => `${address.url}${basePath}/ping.json?${new URLSearchParams({ job: String(job), key })}`,
    });
    return core;
  };
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.core)
      .toResolvedValue(make, [
        serviceIds.config,
        serviceIds.address,
        serviceIds.events,
        serviceIds.clock,
        serviceIds.model,
        serviceIds.store,
        serviceIds.vault,
        serviceIds.passwordHasher,
        serviceIds.digests,
        serviceIds.registries,
      ])
      .onDeactivation((core) => core.stop(grace));
  });
}
