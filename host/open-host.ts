import type { Config } from './config/settings.ts';
import { Host } from './container.ts';
import { type CoreSurroundings, coreModule } from './modules/core-module.ts';
import { nodeModule } from './modules/node-module.ts';
import { pluginModule, shelvesModule } from './modules/plugin-modules.ts';
import { settingsModule } from './modules/settings-module.ts';
import { storeModule } from './modules/store-module.ts';
import { builtInPlugins } from './plugins/built-in.ts';
import { loadPlugins } from './plugins/load-plugins.ts';
import { pluginDefaults } from './plugins/plugin-defaults.ts';
import { openReadyStore, openStore } from './store/open-store.ts';
import { tokens } from './tokens.ts';

export interface HostOptions extends CoreSurroundings {
  /** The service itself: starts plugins and must be able to run jobs. */
  readonly serving: boolean;
  /** May make the store, or bring its tables up to date; without it a store is needed that is ready. */
  readonly makesStore: boolean;
  /** Relative paths of plugins start here. */
  readonly folder: string;
}

/** Puts the host together. Nothing is opened before it is asked for; disposing of it closes what was. */
export async function openHost(config: Config, options: HostOptions): Promise<Host> {
  const { serving, makesStore, folder } = options;
  const host = new Host();
  await host.add(settingsModule(config), storeModule(makesStore ? openStore : openReadyStore), nodeModule);
  const prepared = await loadPlugins({
    builtIn: builtInPlugins,
    wanted: config.plugins,
    options: config.plugin_options,
    defaults: pluginDefaults(config, serving),
    folder,
    clock: await host.get(tokens.clock),
  });
  await host.add(...prepared.map((plugin) => pluginModule(plugin, { serving })), shelvesModule, coreModule(options));
  return host;
}
