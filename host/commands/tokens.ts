import { formatInstant, parseTtl, serializeRow, Token } from '@horarium/core';
import type { Command } from 'commander';
import { readIdArgument } from '../cli/id-argument.ts';
import { print } from '../cli/output-option.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `token:generate`, `token:list`, `token:revoke` */
export function addTokenCommands(program: Command, cli: Cli): void {
  addGenerate(program, cli);
  addList(program, cli);
  addRevoke(program, cli);
}

function addGenerate(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:generate')
    .description('Make a token for a user; it is shown this once.')
    .requiredOption('--user <login>', 'whose token it is')
    .option('--ttl <time>', 'how long it is valid: 45s, 15m, 12h, 90d or never', '90d')
    .option('--name <text>', 'what it is for');
  command.action(async () => {
    const {
      user,
      ttl,
      name = null,
      format,
    } = command.opts<{ user: string; ttl: string; name?: string; format: string }>();
    const life = parseTtl(ttl);
    await using session = await cli.open(command);
    const { secret, row } = await session.core.tokens.mint(session.actor, { login: user, name, ttl: life });
    const expires_at = row.expires_at === null ? null : formatInstant(row.expires_at);
    if (format === 'table') await cli.io.out(`${secret}\n`);
    else await print(cli.io, command, { id: row.id, token: secret, user, name, expires_at });
  });
}

function addList(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:list')
    .description('List the tokens that have not been revoked.')
    .option('--user <login>', 'only those of this user');
  command.action(async () => {
    await using session = await cli.open(command);
    const tokens = await session.core.tokens.list(session.actor, command.opts<{ user?: string }>().user);
    await print(
      cli.io,
      command,
      tokens.map((token) => serializeRow(Token, token)),
    );
  });
}

function addRevoke(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'token:revoke')
    .description('End a token at once.')
    .argument('<id>', 'its number, as token:list shows it', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    await session.core.tokens.revoke(session.actor, id);
    await cli.io.err(`Token ${id} is revoked.\n`);
  });
}
