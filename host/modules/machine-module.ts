import { ContainerModule } from 'inversify';
import { NodeDigests } from '../../adapters/node/node-digests.ts';
import { argonHasher } from '../../adapters/node/password-hasher.ts';
import { systemClock } from '../../adapters/node/system-clock.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';
import { serviceIds } from '../service-ids.ts';
import { openReadyStore, openStore } from '../store/open-store.ts';
import { openVault } from '../store/open-vault.ts';

export interface MachineOptions {
  /** Whether the store may be created, or its tables brought up to date; otherwise it must be ready. */
  readonly createsStore: boolean;
  /** The folder where relative paths start. */
  readonly folder: string;
  readonly model: RecordModel;
}

/** Provides the settings and the ports that this machine implements: clock, digests, password hasher, store and vault. */
export function machineModule(config: Config, { createsStore, folder, model }: MachineOptions): ContainerModule {
  return new ContainerModule(({ bind, onDeactivation }) => {
    bind(serviceIds.config).toConstantValue(config);
    bind(serviceIds.clock).toConstantValue(systemClock);
    bind(serviceIds.digests).toResolvedValue(() => new NodeDigests());
    bind(serviceIds.passwords).toConstantValue(argonHasher);
    bind(serviceIds.opened).toResolvedValue(
      (clock) => (createsStore ? openStore : openReadyStore)(config, { clock, folder, model }),
      [serviceIds.clock],
    );
    bind(serviceIds.vault).toResolvedValue(({ store }) => openVault(config, { store, folder }), [serviceIds.opened]);
    onDeactivation(serviceIds.opened, ({ store }) => store.close());
  });
}
