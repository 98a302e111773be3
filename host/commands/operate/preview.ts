import { badRequest, maxPreviewed, type PlannedWindow, RunTemplate, readTimeBound, shownWindow } from '@horarium/core';
import type { Command } from 'commander';
import { readCountArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import { type OutputFormat, print, render } from '../../cli/output.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { paint } from '../../cli/shown/colours.ts';
import { lookOf } from '../../cli/shown/look.ts';
import { shownTime } from '../../cli/shown/times.ts';

const shownByDefault = 10;

/** Adds `preview`, which lists the coming windows of a run template. */
export function addPreviewCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'preview')
    .description('List the coming windows of a run template. It need not be active. Those at clock changes follow.')
    .argument('<template>', recordIdHelp(RunTemplate), recordArgument(RunTemplate))
    .option('--from <time>', 'windows that begin then or later: a time or a date; now if it is left out')
    .option('--to <time>', 'windows that begin then or earlier: a time or a date')
    .option('--limit <number>', `how many windows to list, up to ${maxPreviewed}`, readCountArgument, shownByDefault)
    .option('--clock-changes', 'only the windows at the clock changes of the year after --from', false)
    .addHelpText(
      'after',
      '\nTables show times in the zone of the template, or with --utc in UTC. A window on a day off of its calendar gets no Task, and says so.\nWithout --to, the windows at the clock changes of the year follow.\n\nExamples:\n  horarium preview nightly-backup\n  horarium preview nightly-backup --from 2026-12-24 --to 2027-01-02',
    );
  command.action(async (template: string) => {
    const { clockChanges, format, utc, ...given } = command.opts<{
      from?: string;
      to?: string;
      limit: number;
      clockChanges: boolean;
      utc?: boolean;
      format: OutputFormat;
    }>();
    if (given.limit > maxPreviewed) throw badRequest(`--limit must be from 1 to ${maxPreviewed}.`);
    if (clockChanges && given.to !== undefined)
      throw badRequest('--clock-changes lists the windows of one year: it does not go with --to.');
    await using session = await cli.open(command);
    const { core, actor } = session;
    const bound = (name: 'from' | 'to') => {
      const text = given[name];
      return text === undefined ? undefined : readTimeBound(name, text, core.timezone);
    };
    const id = await recordIdOf(session, RunTemplate, template);
    const from = bound('from') ?? core.clock.now();
    const to = bound('to') ?? null;
    const changes = (timezone?: string) => core.previewClockChanges(actor, id, from, timezone);
    const range = { from, to, limit: given.limit };
    if (format !== 'table') {
      const windows = clockChanges ? await changes() : await core.preview(actor, id, range);
      await print(cli.io, command, windows.map(shownWindow));
      return;
    }
    const { timezone: own } = await core.records(RunTemplate).get(actor, id);
    const timezone = utc ? 'UTC' : own;
    const look = { ...(await lookOf(command, cli.io)), timezone };
    if (!clockChanges) {
      const windows = await core.preview(actor, id, { ...range, timezone });
      await cli.io.out(
        await render(
          windows.map((window) => localRow(window, timezone)),
          'table',
          {},
          look,
        ),
      );
    }
    const atChanges = to === null ? await changes(timezone) : [];
    if (atChanges.length > 0)
      await cli.io.out(
        `${clockChanges ? '' : `\n${paint(look.colours, 'bold', 'Clock changes:')}\n`}${await render(
          atChanges.map((window) => localRow(window, timezone)),
          'table',
          {},
          look,
        )}`,
      );
    else if (clockChanges) await cli.io.err(`The clock does not change in ${own} within a year.\n`);
    await cli.io.err(`Times are in ${timezone}.\n`);
  });
}

function localRow({ start, end, due, deadline, note }: PlannedWindow, timezone: string) {
  const time = (at: number | null) => (at === null ? null : shownTime(at, timezone));
  return { window_start: time(start), window_end: time(end), due: time(due), deadline: time(deadline), note };
}
