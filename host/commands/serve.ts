import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addSettings, everySetting, settingsOf } from '../cli/settings-options.ts';

/** `serve`: the service itself. */
export function addServeCommand(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Start the service: schedule, run jobs, answer over HTTP.')
    .option('--demo', 'fill an empty store with a small company whose jobs run every few seconds', false);
  addSettings(command, everySetting).action(async () => {
    const { config } = await settingsOf(command, io);
    const { serve } = await import('../serve/serve.ts');
    await serve(config, io, command.opts<{ demo: boolean }>());
  });
}
