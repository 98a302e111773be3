import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';
import { addSettings, everySetting, settingsOf } from '../cli/settings-options.ts';
import { effectiveRows } from '../config/settings-table.ts';

/** `config`: works without a store, so that wrong settings can be found before there is one. */
export function addConfigCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('config')).description('Show the settings that hold and who set them.');
  addSettings(command, everySetting).action(async () => {
    const { effective } = await settingsOf(command, io);
    await print(io, command, effectiveRows(effective), { columns: ['setting', 'value', 'from', 'variable'] });
  });
}
