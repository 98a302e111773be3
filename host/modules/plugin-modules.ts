import { buildRegistries, isStartedHere, type PreparedPlugin, type Registries } from '@horarium/core';
import { ContainerModule } from 'inversify';
import { tokens } from '../tokens.ts';

/** One plugin. While the service runs it is told when that begins and ends; other commands only look at what it brings. */
export function pluginModule(prepared: PreparedPlugin, { serving }: { readonly serving: boolean }): ContainerModule {
  const { plugin, setup } = prepared;
  return new ContainerModule(({ bind }) => {
    bind(tokens.plugin)
      .toResolvedValue(async () => {
        if (serving) await plugin.start?.(setup);
        return prepared;
      })
      .inSingletonScope()
      .onDeactivation(async () => {
        if (serving) await plugin.stop?.();
      });
  });
}

/** What the plugins brought, on registries. */
export const shelvesModule = new ContainerModule(({ bind, onDeactivation }) => {
  bind(tokens.shelves).toResolvedValue(
    (plugins: PreparedPlugin[]) => buildRegistries(plugins),
    [{ serviceIdentifier: tokens.plugin, isMultiple: true }],
  );
  onDeactivation(tokens.shelves, closeExecutors);
});

async function closeExecutors({ executors }: Registries): Promise<void> {
  await Promise.all([...executors].filter(isStartedHere).map((executor) => executor.close?.()));
}
