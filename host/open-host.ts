import type { Io } from './cli/io.ts';
import type { Config } from './config/settings.ts';
import { Host } from './host.ts';
import { standardModel } from './model.ts';
import { type CoreModuleOptions, coreModule, noEvents } from './modules/core-module.ts';
import { pluginModule, registriesModule } from './modules/plugin-modules.ts';
import { portsModule } from './modules/ports-module.ts';
import { loadConfiguredPlugins } from './plugins/built-in.ts';
import { serviceIds } from './service-ids.ts';

export interface HostOptions extends CoreModuleOptions {
  /** Whether this is the service itself, which starts plugins and must be able to run jobs. */
  readonly serving: boolean;
  /** Whether the store may be created, or its tables brought up to date; otherwise it must be ready. */
  readonly mayCreateStore: boolean;
  /** The folder where relative paths start. */
  readonly folder: string;
}

/** Composes the host. Each part of it is opened when it is first requested; disposing of the host closes what was opened. */
export async function openHost(config: Config, options: HostOptions): Promise<Host> {
  const { serving, folder } = options;
  const host = new Host();
  await host.add(portsModule(config, options));
  const plugins = await loadConfiguredPlugins(config, {
    serving,
    folder,
    clock: await host.get(serviceIds.clock),
  });
  await host.add(...plugins.map((plugin) => pluginModule(plugin, { serving })), registriesModule, coreModule(options));
  return host;
}

/** Opens a host for a command: no jobs, ticks or plugins run in it. */
export function openCommandHost(
  config: Config,
  { folder, model = standardModel }: Pick<Io, 'folder' | 'model'>,
  { mayCreateStore = false }: { readonly mayCreateStore?: boolean } = {},
): Promise<Host> {
  const address = () => config.public_url ?? `http://${config.host}:${config.port}`;
  return openHost(config, { serving: false, mayCreateStore, folder, model, capacity: 0, address, events: noEvents });
}
