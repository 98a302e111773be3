import { type Command, Option } from 'commander';
import { readIdArgument } from '../cli/id-argument.ts';
import type { Cli } from '../cli/session.ts';
import { addSettings } from '../cli/settings-options.ts';

interface Options {
  readonly stream?: 'stdout' | 'stderr';
  readonly follow: boolean;
}

/** How often `--follow` looks for more, in milliseconds. */
const pause = 300;

/** `job:output ID`: what a job wrote, byte for byte: its stdout to ours, its stderr to ours. */
export function addOutputCommand(program: Command, cli: Cli): void {
  const command = program
    .command('job:output')
    .description('Show what a job wrote: its output as ours, its errors as ours.')
    .argument('<id>', 'its number', readIdArgument)
    .addOption(new Option('--stream <name>', 'only this one').choices(['stdout', 'stderr']))
    .option('--follow', 'wait for more until it has ended', false)
    .option('--as <login>', 'act with the rights of this user');
  addSettings(command, ['database_url']).action(async (id: number) => {
    const { stream = null, follow } = command.opts<Options>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    for (let after = -1; ; ) {
      const { pieces, complete } = await core.jobs.output(actor, id, { stream, after });
      for (const piece of pieces) {
        await (piece.stream === 'stdout' ? cli.io.out(piece.data) : cli.io.err(piece.data));
        after = piece.seq;
      }
      if (pieces.length > 0 && !complete) continue;
      if (complete || !follow) return;
      await core.clock.sleep(pause);
    }
  });
}
