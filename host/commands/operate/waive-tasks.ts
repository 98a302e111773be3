import { Task } from '@horarium/core';
import type { Command } from 'commander';
import { readIdsArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import { printRecords } from '../../cli/records/print-records.ts';

/** Adds `task:waive`, which lifts obligations that have not ended. */
export function addWaiveCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'task:waive')
    .description(
      'Waive Tasks that have not ended. They are no longer owed, and end cancelled. A running attempt may finish.',
    )
    .argument('<ids...>', 'ids of Tasks; task:list and summary show them', readIdsArgument)
    .requiredOption('--reason <text>', 'why; each Task shows it')
    .addHelpText('after', '\nExample:\n  horarium task:waive 4711 --reason "the shop is closed today"');
  command.action(async (ids: readonly number[]) => {
    const { reason } = command.opts<{ reason: string }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const tasks = await core.waiveTasks(actor, [...new Set(ids)], { reason });
    await printRecords(session, cli.io, command, {
      resource: Task,
      records: await core.forChannels.serialize(Task, tasks, 'list'),
      columns: ['id', 'runtemplate_id', 'window_start', 'state', 'reason'],
    });
    const running = tasks.filter(({ state }) => state === 'running').map(({ id }) => id);
    if (running.length > 0)
      await cli.io.err(
        `Task ${running.join(', ')}: the attempt that runs may finish and decides it, and no retry follows. job:cancel JOB ends it.\n`,
      );
  });
}
