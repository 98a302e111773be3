import type { Command } from 'commander';
import { firstSentence, kindOf } from './overview.ts';

/** Describes each command of a kind of things, such as `app`; null where no command is about it. */
export function helpOnKind(program: Command, kind: string): string | null {
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => kind !== '' && kindOf(command) === kind.toLowerCase());
  if (commands.length === 0) return null;
  const width = Math.max(...commands.map((command) => command.name().length));
  const lines = commands.map((command) => `  ${command.name().padEnd(width)}  ${firstSentence(command)}`);
  return `Commands of ${kind} (horarium help COMMAND describes one):\n${lines.join('\n')}\n`;
}
