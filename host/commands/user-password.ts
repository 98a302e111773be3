import { HorariumError, User } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { readText } from '../cli/read-files.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `user:password LOGIN`: never an argument, which everybody on the machine could read. */
export function addPasswordCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'user:password')
    .description('Set the password of a user: asked for at a terminal, else the first line of the input.')
    .argument('<login>', 'whose password it is');
  command.action(async (login: string) => {
    const password = await newPassword(cli.io, login);
    await using session = await cli.open(command);
    const { core, actor } = session;
    const [user] = await core.store.read((tables) => tables.of(User).find({ where: [['login', '=', login]] }));
    if (!user) throw new HorariumError('not_found', `There is no user ${login}.`);
    await core.records(User).save(actor, { password }, { id: user.id });
    await cli.io.err(`The password of ${login} is set; tokens got by signing in with the old one have ended.\n`);
  });
}

async function newPassword(io: Io, login: string): Promise<string> {
  const { input } = io;
  const typed = await input.secret(`New password of ${login}: `);
  if (typed === null) return (await readText(io, '-')).split(/\r?\n/)[0] ?? '';
  if ((await input.secret('The same again: ')) !== typed)
    throw new HorariumError('bad_request', 'The two passwords are not the same; nothing was changed.');
  return typed;
}
