import { buildRegistries, type PreparedPlugin } from '@horarium/core';
import { ContainerModule } from 'inversify';
import type { RecordModel } from '../model.ts';
import { closeExecutors, startPlugins, stopPlugin } from '../plugins/start-plugins.ts';
import { serviceIds } from '../service-ids.ts';

/** Provides the kinds of records, those of plugins included. */
export function modelModule(model: RecordModel): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.model).toConstantValue(model);
  });
}

/** Provides one plugin, and stops it if it was started. */
export function pluginModule(prepared: PreparedPlugin): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.plugin).toConstantValue(prepared).onDeactivation(stopPlugin);
  });
}

/**
 * Provides the registries, which the plugins fill. Afterwards the service starts the plugins in their order. Other commands
 * start none: they only read what is registered.
 */
export function registriesModule({ serving }: { readonly serving: boolean }): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.registries)
      .toResolvedValue(
        async (plugins: PreparedPlugin[]) => {
          const registries = buildRegistries(plugins);
          if (serving) await startPlugins(plugins, registries);
          return registries;
        },
        [{ serviceIdentifier: serviceIds.plugin, isMultiple: true }],
      )
      .onDeactivation(closeExecutors);
  });
}
