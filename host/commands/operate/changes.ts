import { type ChangeNotice, shownChange } from '@horarium/core';
import { type Command, Option } from 'commander';
import { addStoreOptions, type Cli } from '../../cli/command-session.ts';
import { addTimeOption, lookOf } from '../../cli/shown/look.ts';
import { shownTime } from '../../cli/shown/times.ts';

interface Options {
  readonly entityType?: string;
  readonly format: 'text' | 'json';
}

/** Adds `changes`, which prints the changes of records as they are made, until it is stopped. */
export function addChangesCommand(program: Command, cli: Cli): void {
  const { io } = cli;
  const command = addTimeOption(addStoreOptions(program.command('changes')))
    .description('Watch the changes of records as they are made, until Ctrl-C.')
    .option('--entity-type <kinds>', 'only these kinds of records, separated by commas, such as RunTemplate,Task')
    .addOption(
      new Option('--format <format>', 'a line of text for each change, or of JSON')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText(
      'after',
      '\nWho made a change, and the values before and after it, are in the audit log: horarium auditlog:list',
    );
  command.action(async () => {
    const { entityType, format } = command.opts<Options>();
    await using session = await cli.open(command);
    const { timezone } = await lookOf(command, io);
    const kinds = entityType?.split(',').map((kind) => kind.trim());
    for await (const change of session.core.changes.watch(session.actor, { kinds }))
      await io.out(format === 'json' ? `${JSON.stringify(shownChange(change))}\n` : lineOf(change, timezone));
  });
}

function lineOf({ created_at, action, entity_type, entity_id, fields }: ChangeNotice, timezone: string): string {
  const record = entity_id === 0 ? entity_type : `${entity_type} ${entity_id}`;
  const changed = fields.length > 0 ? `: ${fields.join(', ')}` : '';
  return `${shownTime(created_at, timezone)} ${action} ${record}${changed}\n`;
}
