import { type Head, HorariumError } from '@horarium/core';
import { type Command, InvalidArgumentError } from 'commander';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { print } from '../cli/output.ts';

/** Adds `audit:verify`, which fails when an entry was changed, removed, inserted or made unreadable. */
export function addVerifyCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'audit:verify')
    .description('Verify the whole audit log, and name the first entry that was changed or removed.')
    .option(
      '--head <seq:hash>',
      'a head that you noted earlier; the command then proves that no entry up to it was cut off',
      readHead,
    );
  command.action(async () => {
    await using session = await cli.open(command);
    const { head: noted } = command.opts<{ head?: Head }>();
    const { checked, open, head, problem, warning } = await session.core.verifyAudit({ noted });
    await print(cli.io, command, {
      intact: problem === null,
      checked,
      unsealed: open,
      head: `${head.seq}:${head.hash}`,
      problem,
    });
    if (warning !== null) await cli.io.err(`${warning}\n`);
    if (problem !== null) throw new HorariumError('conflict', problem);
  });
}

function readHead(text: string): Head {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('It must look like SEQ:HASH, as /status and this command show it.');
  return { seq: Number(seq), hash };
}
