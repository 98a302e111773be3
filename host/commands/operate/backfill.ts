import { formatInstant, leftOutWarning, RunTemplate, readBackfill, Task, type TaskRow } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import { printWarnings } from '../../cli/output.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { printRecords } from '../../cli/records/print-records.ts';

/** Adds `backfill`, which makes up for windows that passed and were not owed. */
export function addBackfillCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'backfill')
    .description(
      'Run a template for windows that passed without a Task. They lie before its first window, or in a time when it was inactive.',
    )
    .argument('<template>', recordIdHelp(RunTemplate), recordArgument(RunTemplate))
    .requiredOption('--from <time>', 'windows that began then or later: a time or a date')
    .option('--to <time>', 'windows that began then or earlier, and have ended; now if it is left out')
    .option('--dry-run', 'create nothing, and list the Tasks that would be created', false)
    .addHelpText(
      'after',
      '\nEach window gets a Task, up to 1000 at a time. Their jobs run the oldest first, after what is owed now and without a deadline. They count in no rate; windows that have a Task are left out, and task:retry repeats those.\n\nExamples:\n  horarium backfill nightly-report --from 2026-10-01 --to 2026-10-31 --dry-run\n  horarium backfill nightly-report --from 2026-10-01',
    );
  command.action(async (template: string) => {
    const { from, to, dryRun } = command.opts<{ from: string; to?: string; dryRun: boolean }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const id = await recordIdOf(session, RunTemplate, template);
    const range = readBackfill({ from, ...(to !== undefined && { to }) }, core.timezone);
    const { tasks, leftOut } = dryRun
      ? (await core.store.dryRun(actor, (tables) => core.backfillIn(tables, actor, id, range))).result
      : await core.backfill(actor, id, range);
    // The ids of a dry run are those of no Task.
    const columns = [...(dryRun ? [] : ['id']), 'runtemplate_id', 'window_start', 'window_end', 'state'];
    const records = await core.forChannels.serialize(Task, tasks, 'list');
    await printRecords(session, cli.io, command, { resource: Task, records, columns });
    await printWarnings(cli.io, { warnings: leftOut > 0 ? [leftOutWarning(leftOut)] : [] });
    await cli.io.err(conclusion(tasks, { id, dryRun }));
  });
}

function conclusion(tasks: readonly TaskRow[], { id, dryRun }: { readonly id: number; readonly dryRun: boolean }) {
  const count = tasks.length === 1 ? '1 Task' : `${tasks.length} Tasks`;
  if (dryRun) return `${count} would be created. Nothing was changed: this was a dry run.\n`;
  const [first, last] = [tasks[0], tasks.at(-1)];
  if (!first || !last) return `${count} created.\n`;
  const range = `--from ${formatInstant(first.window_start)} --to ${formatInstant(last.window_start)}`;
  return `${count} created. The running service starts their jobs; task:list --runtemplate-id ${id} ${range} shows how they end.\n`;
}
