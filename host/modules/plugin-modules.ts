import {
  buildRegistries,
  errorMessage,
  HorariumError,
  isStartedHere,
  type PreparedPlugin,
  type Registries,
} from '@horarium/core';
import { ContainerModule } from 'inversify';
import type { RecordModel } from '../model.ts';
import { serviceIds } from '../service-ids.ts';

/** The plugins whose `start` has run. */
const started = new WeakSet<PreparedPlugin>();

/** Provides the kinds of records, those of plugins included. */
export function modelModule(model: RecordModel): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.model).toConstantValue(model);
  });
}

/** Provides one plugin, and stops it if it was started. */
export function pluginModule(prepared: PreparedPlugin): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(serviceIds.plugin)
      .toConstantValue(prepared)
      .onDeactivation(async () => {
        if (started.has(prepared)) await prepared.plugin.stop?.();
      });
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

async function startPlugins(plugins: readonly PreparedPlugin[], registries: Registries): Promise<void> {
  try {
    for (const prepared of plugins) {
      started.add(prepared);
      await start(prepared);
    }
  } catch (error) {
    // What the executors own, such as processes, would keep this one alive, which is not to serve.
    await closeExecutors(registries);
    throw error;
  }
}

async function start({ plugin, setup }: PreparedPlugin): Promise<void> {
  try {
    await plugin.start?.(setup);
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    throw new HorariumError('invalid', `The plugin ${plugin.name} cannot be started: ${errorMessage(error)}.`);
  }
}

async function closeExecutors({ executors }: Registries): Promise<void> {
  await Promise.all([...executors].filter(isStartedHere).map((executor) => executor.close?.()));
}
