import type { Clock, Core, Digests, PasswordHasher, PreparedPlugin, Registries, Vault } from '@horarium/core';
import type { ServiceIdentifier } from 'inversify';
import type { OpenedStore } from '../adapters/mikro-orm/open-store.ts';
import type { ApiServer } from '../adapters/restify/api-server.ts';
import type { Config } from './config/settings.ts';

function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`horarium.${name}`) as ServiceIdentifier<T>;
}

/** The services in the container, by the names that modules ask for them. */
export const tokens = {
  clock: token<Clock>('clock'),
  config: token<Config>('config'),
  core: token<Core>('core'),
  digests: token<Digests>('digests'),
  opened: token<OpenedStore>('opened'),
  passwords: token<PasswordHasher>('passwords'),
  /** Each loaded plugin. */
  plugin: token<PreparedPlugin>('plugin'),
  server: token<ApiServer>('server'),
  registries: token<Registries>('registries'),
  vault: token<Vault>('vault'),
};
