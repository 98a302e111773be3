import { buildRegistries, isStartedHere, type PreparedPlugin, type Registries } from '@horarium/core';
import { ContainerModule } from 'inversify';
import { serviceIds } from '../service-ids.ts';

/** Provides one plugin. The service starts and stops it; other commands only read what it registers. */
export function pluginModule(prepared: PreparedPlugin, { serving }: { readonly serving: boolean }): ContainerModule {
  const { plugin, setup } = prepared;
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.plugin)
      .toResolvedValue(async () => {
        if (serving) await plugin.start?.(setup);
        return prepared;
      })
      .onDeactivation(async () => {
        if (serving) await plugin.stop?.();
      });
  });
}

/** Provides the registries, filled by the plugins. */
export const registriesModule = new ContainerModule(({ bind }) => {
  bind(serviceIds.registries)
    .toResolvedValue(
      (plugins: PreparedPlugin[]) => buildRegistries(plugins),
      [{ serviceIdentifier: serviceIds.plugin, isMultiple: true }],
    )
    .onDeactivation(closeExecutors);
});

async function closeExecutors({ executors }: Registries): Promise<void> {
  await Promise.all([...executors].filter(isStartedHere).map((executor) => executor.close?.()));
}
