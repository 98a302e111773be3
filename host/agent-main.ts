import { processIo } from './cli/process-io.ts';
import { emptyProgram, pointToHelp } from './cli/programs/empty-program.ts';
import { exitCodeOf } from './cli/programs/exit-code-of.ts';
import { addAgentCommand } from './commands/agent-command.ts';
import { comesWithHost } from './plugins/built-in.ts';

/**
 * Runs `horarium agent` by a program of its own, with those parts of the core that agents use: an idle one keeps 10 MB more of the
 * whole program.
 * @returns the exit code; null = the settings name a plugin that does not come with the host, so the whole program is to run the
 *   command: the plugin imports the core, and both must have the same one.
 */
export async function runAgentAlone(): Promise<number | null> {
  const io = processIo();
  let isLeft = false;
  const program = emptyProgram(io);
  addAgentCommand(
    program,
    io,
    async () => (await import('../plugins/fleet-nats/agent/nats-link.ts')).connectHost,
    ({ plugins }) => {
      isLeft = !(plugins ?? []).every(comesWithHost);
      return !isLeft;
    },
  );
  pointToHelp(program);
  const code = await exitCodeOf(io, async (runs) => {
    program.hook('preAction', (_program, command) => runs(command));
    await program.parseAsync(io.arguments, { from: 'user' });
  });
  return isLeft ? null : code;
}
