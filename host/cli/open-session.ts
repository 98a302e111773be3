import { type Actor, actorOf, type Core, findAccount, HorariumError, trustedActor } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from './io.ts';
import type { Session } from './session.ts';
import { settingsOf } from './settings-options.ts';

/** Opens the store that the command's settings name, for one command. */
export async function openSession(command: Command, io: Io): Promise<Session> {
  const { config } = await settingsOf(command, io);
  const [{ openHost }, { noEvents }, { tokens }] = await Promise.all([
    import('../open-host.ts'),
    import('../modules/core-module.ts'),
    import('../tokens.ts'),
  ]);
  const address = () => config.public_url ?? `http://${config.host}:${config.port}`;
  const host = await openHost(config, {
    serving: false,
    makesStore: false,
    folder: io.folder,
    capacity: 0,
    address,
    events: noEvents,
  });
  try {
    const core = await host.get(tokens.core);
    await core.vault.check();
    const actor = await actorFor(core, command.opts<{ as?: string }>().as, io.operator);
    return { config, core, actor, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
}

/** The operator of the machine, who may do everything, or a user with that user's rights. */
async function actorFor(core: Core, login: string | undefined, operator: string): Promise<Actor> {
  if (login === undefined) return trustedActor(operator, 'cli');
  return core.store.read(async (tables) => {
    const account = await findAccount(tables, ['login', '=', login]);
    if (!account?.user.enabled) throw new HorariumError('not_found', `There is no enabled user ${login} to act as.`);
    return actorOf(account, await tables.now(), { channel: 'cli', ip: null, requestId: null });
  });
}
