import type {
  Clock,
  Core,
  CoreEvents,
  Digests,
  PasswordHasher,
  PreparedPlugin,
  Registries,
  Vault,
} from '@horarium/core';
import type { ServiceIdentifier } from 'inversify';
import type { Logger } from 'pino';
import type { OpenedStore } from '../adapters/mikro-orm/database.ts';
import type { ApiServer } from '../adapters/restify/api-server.ts';
import type { Config } from './config/settings.ts';
import type { RecordModel } from './model.ts';

function serviceId<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`horarium.${name}`) as ServiceIdentifier<T>;
}

/** The URL that a service answers at, without the base path. It is known for certain once the port is open. */
export interface ServiceAddress {
  url: string;
}

/**
 * The identifiers of the services in the container: modules bind services to them and inject them by them. Each service
 * depends only on those before it, so a host closes them in the opposite order.
 */
export const serviceIds = {
  config: serviceId<Config>('config'),
  address: serviceId<ServiceAddress>('address'),
  log: serviceId<Logger>('log'),
  events: serviceId<CoreEvents>('events'),
  clock: serviceId<Clock>('clock'),
  digests: serviceId<Digests>('digests'),
  passwordHasher: serviceId<PasswordHasher>('passwordHasher'),
  /** The kinds of records, those of plugins included. */
  model: serviceId<RecordModel>('model'),
  store: serviceId<OpenedStore>('store'),
  vault: serviceId<Vault>('vault'),
  /** Each loaded plugin. */
  plugin: serviceId<PreparedPlugin>('plugin'),
  registries: serviceId<Registries>('registries'),
  core: serviceId<Core>('core'),
  server: serviceId<Pick<ApiServer, 'listen' | 'reloadTls' | 'close'>>('server'),
};

/** The services that the modules of a custom host may provide; the stock module leaves those out. */
export const replaceableServices = [
  'log',
  'clock',
  'digests',
  'passwordHasher',
  'store',
  'vault',
  'server',
] as const satisfies readonly (keyof typeof serviceIds)[];
