/**
 * The service as a library, for a custom host: the service or the command line with parts of its own. A module binds a
 * service of `serviceIds`, and that one is used in place of the stock one.
 */

export { ContainerModule } from 'inversify';
export type { Io } from './cli/io.ts';
export { processIo } from './cli/process-io.ts';
export { runCli } from './cli/program.ts';
export { readSettings } from './cli/setting-options.ts';
export type { ReadConfig } from './config/read-config.ts';
export type { Config } from './config/settings.ts';
export type { CustomHost } from './custom-host.ts';
export type { Host } from './host.ts';
export { type RecordModel, standardModel } from './model.ts';
export { httpModule } from './modules/http-module.ts';
export { type HostOptions, openHost } from './open-host.ts';
export { listen } from './serve/listen.ts';
export { serve } from './serve/serve.ts';
export { replaceableServices, type ServiceAddress, serviceIds } from './service-ids.ts';
export { type PreparedStore, prepareStore } from './store/prepare-store.ts';
