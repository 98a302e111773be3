import type { CoreEvents } from '@horarium/core';
import { NodeDigests, nodeClock } from '@horarium/core/node';
import { type BindToFluentSyntax, ContainerModule, type ServiceIdentifier } from 'inversify';
import { argon2Hasher } from '../../adapters/node/password-hasher.ts';
import { serviceUrlOf } from '../config/service-url.ts';
import type { Config } from '../config/settings.ts';
import { logLines } from '../log-lines.ts';
import { serviceIds } from '../service-ids.ts';
import { assertReady, openStore } from '../store/open-store.ts';
import { openVault } from '../store/open-vault.ts';

export interface PortsOptions {
  /** Whether this is the service itself, which logs what happens in the background. */
  readonly serving: boolean;
  /** Whether the store may be created, or its tables brought up to date. */
  readonly mayCreateStore: boolean;
  /** Whether the tables of the store must be up to date. */
  readonly mustBeReady: boolean;
  /** Whether a new vault key may be created for an empty store. */
  readonly mayCreateKey: boolean;
  /** The folder where relative paths start. */
  readonly folder: string;
}

/** Provides the settings, and of the log and the ports those that no module loaded before it has bound. */
export function portsModule(config: Config, options: PortsOptions): ContainerModule {
  const { serving, mayCreateStore, mustBeReady, mayCreateKey, folder } = options;
  return new ContainerModule(({ bind, isBound, onActivation }) => {
    const bindMissing = <T>(id: ServiceIdentifier<T>, to: (binding: BindToFluentSyntax<T>) => unknown) => {
      if (!isBound(id)) to(bind(id));
    };
    bind(serviceIds.config).toConstantValue(config);
    bind(serviceIds.address).toConstantValue({ url: serviceUrlOf(config) });
    bindMissing(serviceIds.log, (log) => log.toResolvedValue(() => openLog(config)));
    if (serving) bind(serviceIds.events).toResolvedValue(logLines, [serviceIds.log]);
    else bind(serviceIds.events).toConstantValue(noEvents);
    bindMissing(serviceIds.clock, (clock) => clock.toConstantValue(nodeClock));
    bindMissing(serviceIds.digests, (digests) => digests.toResolvedValue(() => new NodeDigests()));
    bindMissing(serviceIds.passwordHasher, (hasher) => hasher.toConstantValue(argon2Hasher));
    bindMissing(serviceIds.store, (store) =>
      store
        .toResolvedValue(
          (clock, model) => openStore(config, { clock, folder, model, mayCreate: mayCreateStore }),
          [serviceIds.clock, serviceIds.model],
        )
        .onDeactivation((opened) => opened.close()),
    );
    if (mustBeReady)
      onActivation(serviceIds.store, async (_context, store) => {
        await assertReady(store);
        return store;
      });
    bindMissing(serviceIds.vault, (vault) =>
      vault.toResolvedValue(
        (store) => openVault(config, { store, folder, mayCreate: mayCreateKey }),
        [serviceIds.store],
      ),
    );
  });
}

/** Opens the log. It is imported here, because commands start sooner without it. */
async function openLog({ log_level: level, log_format: format }: Config) {
  const log = await import('../log.ts');
  return log.openLog({ level, format });
}

/** Ignores every event, because commands run nothing in the background. */
const noEvents: CoreEvents = {
  tickFailed: () => {},
  eventLoopBlocked: () => {},
  templateFailed: () => {},
  maintenanceFailed: () => {},
  leaseLost: () => {},
  workerLost: () => {},
  auditForged: () => {},
  clockChanged: () => {},
  deliveryFailed: () => {},
  rowsExpired: () => {},
  auditArchived: () => {},
  auditNotArchived: () => {},
  taskUnmet: () => {},
  jobFailed: () => {},
};
