import type { Command } from 'commander';
import { commandGroups, groupedCommands } from './command-groups.ts';
import { wrapWords } from './wrap-words.ts';

/** The groups whose commands the overview only names, with a word for each: people look for them seldom. */
const namedOnly: Readonly<Record<string, string>> = {
  [commandGroups.elsewhere]: 'elsewhere',
  [commandGroups.access]: 'access',
  [commandGroups.upkeep]: 'upkeep',
  [commandGroups.plugins]: 'plugins',
  [commandGroups.reference]: 'reference',
};

/** The operations of records, which each kind lists first. */
const operations = ['list', 'get', 'save', 'delete'];

/**
 * Writes what `--help` shows: a line for each command of every day and of other groups, the names of commands that people
 * look for seldom, and the kinds of records with their operations.
 * @param width of the screen in characters.
 */
export function overview(program: Command, width: number): string {
  const all = groupedCommands(program);
  const kinds = new Set(
    all.flatMap(([heading, commands]) => (heading === commandGroups.records ? commands.map(kindOf) : [])),
  );
  // The row of a kind names its commands, and those of every day have a line too.
  const groups = all.map(([heading, commands]) => {
    const isShown = (command: Command) => heading === commandGroups.everyDay || !kinds.has(kindOf(command));
    return [heading, commands.filter(isShown)] as const;
  });
  const described = groups.filter(([heading, commands]) => commands.length > 0 && namedOnly[heading] === undefined);
  const column = Math.max(...described.flatMap(([, commands]) => commands.map((command) => command.name().length)));
  const parts = described.map(([heading, commands]) => [
    heading,
    ...commands.map((command) => `  ${command.name().padEnd(column)}  ${firstSentence(command)}`),
  ]);
  const further = groups.flatMap(([heading, commands]) => {
    const names = commands.map((command) => command.name());
    const word = namedOnly[heading];
    return word !== undefined && names.length > 0 ? wrapWords(`  ${word.padEnd(column)}  `, names, width) : [];
  });
  parts.push(['More commands (horarium help commands describes all):', ...further]);
  parts.push([
    'Records, as in job:list (horarium help KIND describes the commands of one):',
    ...recordRows(program, [...kinds], column).flatMap(([start, words]) => wrapWords(start, words, width)),
  ]);
  const usage = 'Usage: horarium COMMAND [options] (horarium help COMMAND describes one)';
  return `${[[usage], ...parts].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A row for each kind, and one for all kinds with the same commands. */
function recordRows(
  { commands }: Command,
  kinds: readonly string[],
  column: number,
): (readonly [start: string, words: readonly string[]])[] {
  const rank = (verb: string) => (operations.includes(verb) ? operations.indexOf(verb) : operations.length);
  const verbsOf = (kind: string) =>
    commands
      .filter((command) => kindOf(command) === kind)
      .map((command) => command.name().slice(kind.length + 1))
      .sort((one, other) => rank(one) - rank(other));
  const verbs = new Map(kinds.map((kind) => [kind, verbsOf(kind)]));
  const alike = Map.groupBy(kinds.toSorted(), (kind) => verbs.get(kind)?.join(' ') as string);
  const rows = [...alike].sort(([, one], [, other]) => one.length - other.length);
  return rows.map(([words, same]) =>
    same.length === 1
      ? ([`  ${same.join().padEnd(column)}  `, words.split(' ')] as const)
      : ([`  ${words.padEnd(column)}  of `, same] as const),
  );
}

/** The kind of things that a command is about: `app` of `app:list`; empty for a command without one. */
export function kindOf(command: Command): string {
  const [kind = '', verb] = command.name().split(':');
  return verb === undefined ? '' : kind;
}

/** The first sentence of what a command does; its own help has the others. */
export function firstSentence(command: Command): string {
  return command.description().replace(/\. .*/s, '.');
}
