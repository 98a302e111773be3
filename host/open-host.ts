import type { PluginLog } from '@horarium/core';
import type { Io } from './cli/io.ts';
import type { ReadConfig } from './config/read-config.ts';
import type { Config } from './config/settings.ts';
import type { CustomHost } from './custom-host.ts';
import { Host } from './host.ts';
import { checkJobsAsRoot } from './jobs-as-root.ts';
import { logLines } from './log-lines.ts';
import { standardModel, withPlugins } from './model.ts';
import { coreModule } from './modules/core-module.ts';
import { modelModule, pluginModule, registriesModule } from './modules/plugin-modules.ts';
import { portsModule } from './modules/ports-module.ts';
import { replacementModule } from './modules/replacement-module.ts';
import { loadConfiguredPlugins } from './plugins/built-in.ts';
import { serviceIds } from './service-ids.ts';

export interface HostOptions extends CustomHost {
  /** The folder where relative paths start. @default that of the process */
  readonly folder?: string;
  /** Whether this is the service itself, which starts plugins and must be able to run jobs. @default true */
  readonly serving?: boolean;
  /** The user of the service, in a command that knows it. @default null */
  readonly serviceUser?: string | null;
  /** Whether the store may be created, or its tables brought up to date. @default `serving` */
  readonly mayCreateStore?: boolean;
  /** Whether the tables of the store must be up to date. @default unless it may be created */
  readonly mustBeReady?: boolean;
  /** Whether a new vault key may be created for an empty store. @default true */
  readonly mayCreateKey?: boolean;
}

/**
 * Composes the host. Each part of it is opened when it is first requested; disposing of the host closes what was opened.
 * @throws HorariumError `invalid` for a module that binds anything else than a service that it may replace, or one that
 *   another module has bound, for a plugin that cannot be used, and for a service that would run jobs as root unasked.
 */
export async function openHost(config: Config, options: HostOptions = {}): Promise<Host> {
  const { modules = [], model = standardModel, folder = process.cwd(), serving = true, serviceUser = null } = options;
  const { mayCreateStore = serving, mustBeReady = !mayCreateStore, mayCreateKey = true } = options;
  if (serving) checkJobsAsRoot(config);
  await using opening = new AsyncDisposableStack();
  const host = opening.use(new Host());
  await host.add(
    ...modules.map(replacementModule),
    portsModule(config, { serving, mayCreateStore, mustBeReady, mayCreateKey, folder }),
  );
  const clock = await host.get(serviceIds.clock);
  const log: PluginLog = (plugin, sentence) => {
    const write = (to: Parameters<typeof logLines>[0]) => logLines(to).ofPlugin(plugin, sentence);
    // After the host was closed there is no log any more.
    host.get(serviceIds.log).then(write, () => {});
  };
  const plugins = await loadConfiguredPlugins(config, { serving, serviceUser, folder, clock, log });
  await host.add(
    modelModule(withPlugins(model, plugins)),
    ...plugins.map(pluginModule),
    registriesModule({ serving }),
    coreModule({ capacity: serving ? config.workers : 0, grace: config.shutdown_grace, folder }),
  );
  opening.move();
  return host;
}

/** Opens a host for a command: no jobs, ticks or plugins run in it. */
export async function openCommandHost(
  read: ReadConfig,
  { folder, model, modules }: Pick<Io, 'folder' | 'model' | 'modules'>,
  may: Pick<HostOptions, 'mayCreateStore' | 'mustBeReady' | 'mayCreateKey'> = {},
): Promise<Host> {
  const { unitUser } = await import('./commands/install/unit-file.ts');
  return openHost(read.config, { modules, model, folder, serving: false, serviceUser: await unitUser(read), ...may });
}
