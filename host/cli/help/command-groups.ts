import type { Command } from 'commander';

/** The headings of built-in groups of commands. A plugin's command may stand under any heading. */
export const commandGroups = {
  everyDay: 'Every day:',
  service: 'The service:',
  transfer: 'Import and export:',
  elsewhere: 'Notices, events and work elsewhere:',
  access: 'Users and tokens:',
  upkeep: 'Upkeep:',
  plugins: 'Writing plugins:',
  reference: 'Looking things up:',
  records: 'Records:',
} as const;

/** Returns the commands that help lists by their headings, those of every day first and the others as they were added. */
export function groupedCommands(program: Command): readonly (readonly [heading: string, commands: Command[]])[] {
  const commands = program.createHelp().visibleCommands(program);
  const groups = Map.groupBy(commands, (command) => command.helpGroup() ?? '');
  const isFirst = ([heading]: readonly [string, unknown]) => heading === commandGroups.everyDay;
  return [...groups].sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
}
