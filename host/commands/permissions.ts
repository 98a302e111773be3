import { permissionRows } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';

/** `permissions`: the matrix of rights. */
export function addPermissionsCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('permissions')).description('Show who may do what.');
  command.action(() =>
    print(
      io,
      command,
      permissionRows().map((row) => ({ ...row })),
    ),
  );
}
