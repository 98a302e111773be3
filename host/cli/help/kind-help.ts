import type { Command } from 'commander';
import { firstSentence, kindOf } from './overview.ts';

/** Returns the commands that help lists and that are about a kind of things, by that kind: of `app` those such as `app:list`. */
export function commandsByKind(program: Command): ReadonlyMap<string, readonly Command[]> {
  const kinds = Map.groupBy(program.createHelp().visibleCommands(program), kindOf);
  kinds.delete('');
  return kinds;
}

/** Describes each command of a kind of things, such as `app`; null where no command is about it. */
export function helpOnKind(program: Command, kind: string): string | null {
  const commands = commandsByKind(program).get(kind.toLowerCase());
  if (commands === undefined) return null;
  const width = Math.max(...commands.map((command) => command.name().length));
  const lines = commands.map((command) => `  ${command.name().padEnd(width)}  ${firstSentence(command)}`);
  return `Commands of ${kind} (horarium help COMMAND describes one):\n${lines.join('\n')}\n`;
}
