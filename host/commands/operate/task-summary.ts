import { Company, RunTemplate, readTimeBound, Task, taskStates } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreOptions, type Cli } from '../../cli/command-session.ts';
import { addFormatOption, type OutputFormat } from '../../cli/output.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { printRecords } from '../../cli/records/print-records.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly template?: string;
  readonly company?: string;
  readonly format: OutputFormat;
}

const allColumns = ['day', 'runtemplate_id', 'company_id', ...taskStates, 'owed', 'on_time_rate'];
/** What a table shows: what has not ended, and what was not owed, are left out. */
const tableColumns = allColumns.filter((column) => !['open', 'running', 'cancelled'].includes(column));

/** Adds `task:summary`, which counts Tasks by template and day. */
export function addTaskSummaryCommand(program: Command, cli: Cli): void {
  const command = addStoreOptions(addFormatOption(program.command('task:summary')))
    .description('Count Tasks by run template and day, with the share of those in time. The newest day comes first.')
    .option('--from <time>', 'Tasks whose windows began then or later; the last seven days if it is left out')
    .option('--to <time>', 'Tasks whose windows began then or earlier: a time or a date; now if it is left out')
    .option('--template <template>', `only one run template: ${recordIdHelp(RunTemplate)}`)
    .option('--company <company>', `only one company: ${recordIdHelp(Company)}`)
    .addHelpText(
      'after',
      '\nDays are those of the setting timezone. Tasks that are no longer kept are counted too.\n\nExamples:\n  horarium task:summary\n  horarium task:summary --from 2026-11-01 --template nightly-backup --format csv',
    );
  command.action(async () => {
    const { from, to, template, company, format } = command.opts<Options>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const filters = {
      ...(template !== undefined && { runtemplate_id: await recordIdOf(session, RunTemplate, template) }),
      ...(company !== undefined && { company_id: await recordIdOf(session, Company, company) }),
    };
    const bound = (name: 'from' | 'to', text: string) => readTimeBound(name, text, core.timezone);
    const days = await core.taskSummary(actor, {
      from: from === undefined ? null : bound('from', from),
      to: to === undefined ? core.clock.now() : bound('to', to),
      filters,
    });
    const isTable = format === 'table';
    await printRecords(session, cli.io, command, {
      resource: Task,
      records: days.map((day) => ({ ...day, ...(isTable && { on_time_rate: percentOf(day.on_time_rate) }) })),
      columns: isTable ? tableColumns : allColumns,
      derived: true,
    });
  });
}

/** Writes a share for people: `95.8 %`; null stays. */
function percentOf(share: number | null): string | null {
  return share === null ? null : `${Math.floor(share * 1000) / 10} %`;
}
