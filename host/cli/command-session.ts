import {
  type Actor,
  type AnyResource,
  actorOf,
  type Core,
  findAccount,
  HorariumError,
  type PreparedPlugin,
  type Registries,
  trustedActor,
  withResourceNames,
} from '@horarium/core';
import type { Command } from 'commander';
import type { OpenedStore } from '../../adapters/mikro-orm/database.ts';
import type { Config, SettingName } from '../config/settings.ts';
import type { Host } from '../host.ts';
import type { serviceIds } from '../service-ids.ts';
import type { Io } from './io.ts';
import { addFormatOption } from './output.ts';
import { addSettingOptions, readCommandSettings } from './setting-options.ts';
import { addTimeOption } from './shown/look.ts';

/** An open store with the core on top of it, and the actor of the command. */
export interface CommandSession extends AsyncDisposable {
  readonly config: Config;
  readonly core: Core;
  readonly actor: Actor;
  /** The URL at which programs reach the service, without the path of the API. */
  readonly serviceUrl: string;
  /** The schema of the database; undefined for a store that has none. */
  readonly schema: OpenedStore['schema'];
}

/** The extensions of the plugins that a command's settings name, and all kinds of records, without a store. */
export interface PluginSession extends AsyncDisposable {
  readonly config: Config;
  readonly plugins: readonly PreparedPlugin[];
  readonly registries: Registries;
  readonly resources: readonly AnyResource[];
}

/** The means of a command: its input and output, and access to the store. */
export interface Cli {
  readonly io: Io;
  /** Opens the store that the command's settings name, as the local operator or as `--as` says. */
  open(command: Command): Promise<CommandSession>;
}

/** Adds a command that opens the store. It has `--as`, `--format`, `--utc` and the settings that name the store. */
export function addStoreCommand(program: Command, name: string, further: readonly SettingName[] = []): Command {
  return addStoreOptions(addTimeOption(addFormatOption(program.command(name))), further);
}

/** Adds `--as` and the settings that name the store. @param further other settings that the command goes by. */
export function addStoreOptions(command: Command, further: readonly SettingName[] = []): Command {
  command.option('--as <login>', 'act with the rights of this user: login or id');
  return addSettingOptions(command, ['database_url', ...further]);
}

/** Opens the store that the command's settings name, for one command. */
export async function openCommandSession(command: Command, io: Io): Promise<CommandSession> {
  return openSession(command, io, async (host, serviceIds) => {
    const core = await host.get(serviceIds.core);
    await core.forChannels.checkKeys();
    const actor = await actorFor(core, command.opts<{ as?: string }>().as, io.operator);
    const { schema } = await host.get(serviceIds.store);
    const { url: serviceUrl } = await host.get(serviceIds.address);
    return { core, actor, schema, serviceUrl };
  });
}

/** Loads the plugins that the command's settings name, for one command. */
export async function openPluginSession(command: Command, io: Io): Promise<PluginSession> {
  return openSession(command, io, async (host, serviceIds) => ({
    plugins: await host.getAll(serviceIds.plugin),
    registries: await host.get(serviceIds.registries),
    resources: withResourceNames((await host.get(serviceIds.model)).resources),
  }));
}

/**
 * Opens a host for a session, and closes it with the session or when `start` fails.
 * @param start returns what the session needs of the host.
 */
async function openSession<S extends object>(
  command: Command,
  io: Io,
  start: (host: Host, ids: typeof serviceIds) => Promise<S>,
): Promise<S & AsyncDisposable & { readonly config: Config }> {
  const read = await readCommandSettings(command, io);
  const [{ openCommandHost }, { serviceIds }] = await Promise.all([
    import('../open-host.ts'),
    import('../service-ids.ts'),
  ]);
  await using opening = new AsyncDisposableStack();
  const host = opening.use(await openCommandHost(read, io));
  const session = await start(host, serviceIds);
  opening.move();
  return { ...session, config: read.config, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

/**
 * Returns the actor of the command: the operator of the machine, who may do everything, or a user with that user's
 * rights.
 */
async function actorFor(core: Core, login: string | undefined, operator: string): Promise<Actor> {
  if (login === undefined) return trustedActor(operator, 'cli');
  return core.store.read(async (tables) => {
    const account =
      (await findAccount(tables, ['login', '=', login])) ??
      (/^\d{1,15}$/.test(login) ? await findAccount(tables, ['id', '=', Number(login)]) : undefined);
    if (!account?.user.enabled) throw new HorariumError('not_found', `There is no enabled user ${login} to act as.`);
    return actorOf(account, await tables.now(), { channel: 'cli', ip: null, network: null, requestId: null });
  });
}
