import type { Clock, Core, Digests, PasswordHasher, PreparedPlugin, Registries, Vault } from '@horarium/core';
import type { ServiceIdentifier } from 'inversify';
import type { OpenedStore } from '../adapters/mikro-orm/open-store.ts';
import type { ApiServer } from '../adapters/restify/api-server.ts';
import type { Config } from './config/settings.ts';

function serviceId<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`horarium.${name}`) as ServiceIdentifier<T>;
}

/** The identifiers of the services in the container. Modules bind services to them and inject them by them. */
export const serviceIds = {
  clock: serviceId<Clock>('clock'),
  config: serviceId<Config>('config'),
  core: serviceId<Core>('core'),
  digests: serviceId<Digests>('digests'),
  openedStore: serviceId<OpenedStore>('openedStore'),
  passwordHasher: serviceId<PasswordHasher>('passwordHasher'),
  /** Each loaded plugin. */
  plugin: serviceId<PreparedPlugin>('plugin'),
  server: serviceId<ApiServer>('server'),
  registries: serviceId<Registries>('registries'),
  vault: serviceId<Vault>('vault'),
};
