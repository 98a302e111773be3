import { formatInstant, HorariumError, parseTtl, serializeRow, Token, User } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../cli/command-session.ts';
import type { Io } from '../cli/io.ts';
import { print } from '../cli/output.ts';
import { readText } from '../cli/read-files.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../cli/record-id.ts';
import { printRecords } from '../cli/records/print-records.ts';
import { lookOf } from '../cli/shown/look.ts';
import { shownTime } from '../cli/shown/times.ts';

/** Adds `token:generate`, `token:list`, `token:revoke` and `user:password`. */
export function addUserCommands(program: Command, cli: Cli): void {
  addGenerate(program, cli);
  addList(program, cli);
  addRevoke(program, cli);
  addPassword(program, cli);
}

function addGenerate(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:generate')
    .description('Make a token for a user. It is shown only once.')
    .requiredOption('--user <user>', `whose token it is: ${recordIdHelp(User)}`)
    .option('--ttl <time>', 'how long it is valid: 45s, 15m, 12h, 90d or never', '90d')
    .option('--name <text>', 'what it is for');
  command.action(async () => {
    const options = command.opts<{ user: string; ttl: string; name?: string; format: string }>();
    const { name = null, format } = options;
    const ttl = parseTtl(options.ttl);
    await using session = await cli.open(command);
    const { login: user } = await userOf(session, options.user);
    const { secret, row } = await session.core.tokens.issue(session.actor, { login: user, name, ttl });
    const expires_at = row.expires_at === null ? null : formatInstant(row.expires_at);
    const { timezone } = await lookOf(command, cli.io);
    const end = row.expires_at === null ? 'does not expire' : `expires at ${shownTime(row.expires_at, timezone)}`;
    await cli.io.err(`Token ${row.id} of ${user} ${end}.\n`);
    if (format === 'table') await cli.io.out(`${secret}\n`);
    else await print(cli.io, command, { id: row.id, token: secret, user, name, expires_at });
  });
}

function addList(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:list')
    .description('List the tokens that have not been revoked.')
    .option('--user <user>', `only those of a user: ${recordIdHelp(User)}`);
  command.action(async () => {
    await using session = await cli.open(command);
    const { user } = command.opts<{ user?: string }>();
    const login = user === undefined ? undefined : (await userOf(session, user)).login;
    const tokens = await session.core.tokens.list(session.actor, login);
    const records = tokens.map((token) => serializeRow(Token, token));
    await printRecords(session, cli.io, command, { resource: Token, records });
  });
}

function addRevoke(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:revoke')
    .description('Revoke a token at once.')
    .argument('<id>', `${recordIdHelp(Token)}; token:list shows both`, recordArgument(Token));
  command.action(async (given: string) => {
    await using session = await cli.open(command);
    const id = await recordIdOf(session, Token, given, { where: [['revoked_at', '=', null]] });
    await session.core.tokens.revoke(session.actor, id);
    await cli.io.err(`Token ${id} is revoked.\n`);
  });
}

/**
 * Adds `user:password LOGIN`. It never takes a password as an argument, because every user of the machine could read
 * it.
 */
function addPassword(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'user:password')
    .description(
      'Set the password of a user. It is asked for at a terminal, else read from the first line of standard input. With --as the old one is asked for first.',
    )
    .argument('<user>', `whose password it is: ${recordIdHelp(User)}`, recordArgument(User));
  command.action(async (given: string) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { id, login } = await userOf(session, given);
    const isOwn = actor.userId === id;
    const { old_password, password } = await readPasswords(cli.io, login, isOwn);
    if (isOwn) await core.passwordChange.change(actor, id, { old_password, password });
    else await core.records(User).save(actor, { password }, { id });
    await cli.io.err(`The password of ${login} is set; tokens got by signing in with the old one have ended.\n`);
  });
}

/** Reads the user that is named by id or login. @throws HorariumError `not_found`. */
async function userOf(session: CommandSession, given: string) {
  return session.core.records(User).get(session.actor, await recordIdOf(session, User, given));
}

async function readPasswords(io: Io, login: string, isOwn: boolean) {
  const { input } = io;
  const question = isOwn ? `Old password of ${login}: ` : `New password of ${login}: `;
  const answer = await input.secret(question);
  if (answer === null) {
    const lines = (await readText(io, '-')).split(/\r?\n/);
    return { old_password: isOwn ? (lines.shift() ?? '') : null, password: lines[0] ?? '' };
  }
  const password = isOwn ? await input.secret(`New password of ${login}: `) : answer;
  if ((await input.secret('The same again: ')) !== password)
    throw new HorariumError('bad_request', 'The two passwords are not the same; nothing was changed.');
  return { old_password: isOwn ? answer : null, password };
}
