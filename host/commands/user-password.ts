import { HorariumError, User } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { readText } from '../cli/read-files.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `user:password LOGIN`: never an argument, which everybody on the machine could read. */
export function addPasswordCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'user:password')
    .description(
      "Set the password of a user: asked for at a terminal, else the first line of the input. One's own (--as) takes the old one first.",
    )
    .argument('<login>', 'whose password it is');
  command.action(async (login: string) => {
    const own = command.opts<{ as?: string }>().as === login;
    const { old_password, password } = await passwords(cli.io, login, own);
    await using session = await cli.open(command);
    const { core, actor } = session;
    const [user] = await core.store.read((tables) => tables.of(User).find({ where: [['login', '=', login]] }));
    if (!user) throw new HorariumError('not_found', `There is no user ${login}.`);
    if (own) await core.passwordChange.change(actor, user.id, { old_password, password });
    else await core.records(User).save(actor, { password }, { id: user.id });
    await cli.io.err(`The password of ${login} is set; tokens got by signing in with the old one have ended.\n`);
  });
}

async function passwords(io: Io, login: string, own: boolean) {
  const { input } = io;
  const asked = own ? `Old password of ${login}: ` : `New password of ${login}: `;
  const first = await input.secret(asked);
  if (first === null) {
    const lines = (await readText(io, '-')).split(/\r?\n/);
    return { old_password: own ? (lines.shift() ?? '') : null, password: lines[0] ?? '' };
  }
  const password = own ? await input.secret(`New password of ${login}: `) : first;
  if ((await input.secret('The same again: ')) !== password)
    throw new HorariumError('bad_request', 'The two passwords are not the same; nothing was changed.');
  return { old_password: own ? first : null, password };
}
