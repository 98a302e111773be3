import { processIo } from './cli/process-io.ts';
import { emptyProgram, pointToHelp } from './cli/programs/empty-program.ts';
import { exitCodeOf } from './cli/programs/exit-code-of.ts';
import { addAgentCommand } from './commands/agent-command.ts';
import { configuredPluginsOf } from './plugins/configured-plugins.ts';
import { executorPlugins } from './plugins/executor-plugins.ts';

/**
 * Runs `horarium agent` by a program of its own, with those plugins and parts of the core that agents use: an idle one takes 27 MB
 * more by the whole program.
 * @returns the exit code; null = the settings name another plugin, so the whole program is to run the command: a plugin that does
 *   not come with the host imports the core, and both must have the same one.
 */
export async function runAgentAlone(): Promise<number | null> {
  const io = processIo();
  let isLeft = false;
  const program = emptyProgram(io);
  addAgentCommand(program, io, {
    connect: async () => (await import('../plugins/fleet-nats/agent/nats-link.ts')).connectHost,
    plugins: async () => configuredPluginsOf({ builtIn: executorPlugins, onlyByName: new Set() }),
    mayRun({ plugins }) {
      isLeft = !(plugins ?? []).every((name) => Object.hasOwn(executorPlugins, name));
      return !isLeft;
    },
  });
  pointToHelp(program);
  const code = await exitCodeOf(io, async (runs) => {
    program.hook('preAction', (_program, command) => runs(command));
    await program.parseAsync(io.arguments, { from: 'user' });
  });
  return isLeft ? null : code;
}
