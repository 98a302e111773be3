import type { Command } from 'commander';
import { addFormat } from './output-option.ts';
import { addSettings } from './settings-options.ts';

/** A command that opens the store: it takes `--as`, `--format` and the settings that say where the store is. */
export function addStoreCommand(program: Command, name: string): Command {
  const command = addFormat(program.command(name)).option('--as <login>', 'act with the rights of this user');
  return addSettings(command, ['database_url']);
}
