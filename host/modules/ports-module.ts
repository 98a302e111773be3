import { systemClock } from '@horarium/core';
import { NodeDigests } from '@horarium/core/node';
import { ContainerModule } from 'inversify';
import { argon2Hasher } from '../../adapters/node/password-hasher.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';
import { serviceIds } from '../service-ids.ts';
import { openReadyStore, openStore } from '../store/open-store.ts';
import { openVault } from '../store/open-vault.ts';

export interface PortsOptions {
  /** Whether the store may be created, or its tables brought up to date; otherwise it must be ready. */
  readonly mayCreateStore: boolean;
  /** The folder where relative paths start. */
  readonly folder: string;
  readonly model: RecordModel;
}

/** Provides the settings and the ports that this machine implements: clock, digests, password hasher, store and vault. */
export function portsModule(config: Config, { mayCreateStore, folder, model }: PortsOptions): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.config).toConstantValue(config);
    bind(serviceIds.clock).toConstantValue(systemClock);
    bind(serviceIds.digests).toResolvedValue(() => new NodeDigests());
    bind(serviceIds.passwordHasher).toConstantValue(argon2Hasher);
    bind(serviceIds.openedStore)
      .toResolvedValue(
        (clock) => (mayCreateStore ? openStore : openReadyStore)(config, { clock, folder, model }),
        [serviceIds.clock],
      )
      .inSingletonScope()
      .onDeactivation(({ store }) => store.close());
    bind(serviceIds.vault).toResolvedValue(
      ({ store }) => openVault(config, { store, folder }),
      [serviceIds.openedStore],
    );
  });
}
