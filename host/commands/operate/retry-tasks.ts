import {
  type AnyRow,
  badRequest,
  Company,
  formatInstant,
  HorariumError,
  isTaskEnded,
  RunTemplate,
  readListInput,
  Task,
  type TaskRow,
  taskStates,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { readIdsArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { offering } from '../../cli/completion/offers.ts';
import { CommandExit, exitCodes } from '../../cli/failure.ts';
import { ProgressLine } from '../../cli/progress-line.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { printRecords } from '../../cli/records/print-records.ts';
import { addRunOptions, runFields } from '../run-options.ts';

interface Filter {
  readonly template?: string;
  readonly company?: string;
  readonly state?: string;
  readonly from?: string;
  readonly to?: string;
}

type SelectedTask = Pick<TaskRow, 'id' | 'runtemplate_id' | 'window_start' | 'state'>;

/** How many Tasks one command repeats at most. */
const maxTasks = 1000;
const endStates = taskStates.filter(isTaskEnded);
const unmetStates = ['failed', 'missed'];

/** Adds `task:retry`, which repeats Tasks that have ended; a running service starts their jobs. */
export function addRetryCommand(program: Command, cli: Cli): void {
  const command = addRunOptions(addStoreCommand(program, 'task:retry'))
    .description('Repeat Tasks that have ended, by their ids or by a filter. The running service starts their jobs.')
    .argument('[ids...]', 'ids of Tasks; task:list and summary show them', readIdsArgument)
    .option('--template <template>', `those of a run template: ${recordIdHelp(RunTemplate)}`)
    .option('--company <company>', `those of a company: ${recordIdHelp(Company)}`)
    .addOption(
      offering(
        new Option(
          '--state <states>',
          `those in these states, separated by commas: ${endStates.join(', ')} (default: ${unmetStates.join(',')})`,
        ),
        { values: endStates, separated: true },
      ),
    )
    .option('--from <time>', 'those whose windows began then or later: a time or a date')
    .option('--to <time>', 'those whose windows began then or earlier: a time or a date')
    .option('--dry-run', 'schedule nothing, and list what would be repeated', false)
    .addHelpText(
      'after',
      '\nNo deadline counts, and what is owed now starts first. A Task that was not fulfilled is fulfilled late once its repetition has succeeded.\n\nExamples:\n  horarium task:retry 4711 4712\n  horarium task:retry --template nightly-backup --from 2026-11-20 --dry-run\n  horarium task:retry --company acme --state failed --from 2026-11-21T04:00:00Z --at 2026-11-21T22:00:00Z',
    );
  command.action(async (ids: readonly number[] = []) => {
    const { dryRun, template, company, state, from, to } = command.opts<Filter & { dryRun: boolean }>();
    const filter = { template, company, state, from, to } as Filter;
    await using session = await cli.open(command);
    const tasks = await selectTasks(session, ids, filter);
    const rows: Record<string, unknown>[] = [];
    await using progress = new ProgressLine(cli.io);
    for (const { id, runtemplate_id, window_start, state: before } of tasks) {
      const outcome = await repeat(session, command, { id, dryRun });
      rows.push({ task: id, runtemplate_id, window_start: formatInstant(window_start), state: before, ...outcome });
      progress.count(rows.length, tasks.length, 'Tasks');
    }
    await progress.end();
    await printRecords(session, cli.io, command, { resource: Task, records: rows, derived: true });
    const refused = rows.filter(({ problem }) => problem !== null).length;
    await cli.io.err(conclusion({ repeated: rows.length - refused, refused, dryRun }));
    if (refused > 0) throw new CommandExit(exitCodes.failed);
  });
}

/** Reads the Tasks that are meant. @throws HorariumError `bad_request` unless there are either ids or a filter. */
async function selectTasks(session: CommandSession, ids: readonly number[], filter: Filter): Promise<SelectedTask[]> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (ids.length > 0 && isFiltered) throw badRequest('Give either ids of Tasks or a filter.');
  if (isFiltered) return filteredTasks(session, filter);
  if (ids.length === 0)
    throw badRequest(
      'Say which: ids of Tasks, or a filter of --template, --company, --state, --from and --to, with --dry-run to look first.',
    );
  const tasks: SelectedTask[] = [];
  for (const id of new Set(ids)) tasks.push(await session.core.tasks.get(session.actor, id));
  return tasks;
}

/** Reads the ended Tasks that a filter selects, the oldest window first. */
async function filteredTasks(session: CommandSession, filter: Filter): Promise<SelectedTask[]> {
  const { core, actor } = session;
  const { template, company, from, to } = filter;
  const states = (filter.state ?? unmetStates.join(',')).split(',').map((state) => state.trim());
  for (const each of states)
    if (!endStates.some((known) => known === each))
      throw badRequest(`--state must name states in which Tasks have ended, ${endStates.join(', ')}, not ${each}.`);
  const parameters = new Map([
    ['state', states.join(',')],
    ['order', 'window_start'],
    ['limit', String(maxTasks)],
  ]);
  const companyId = company === undefined ? undefined : await recordIdOf(session, Company, company);
  if (companyId !== undefined) parameters.set('company_id', String(companyId));
  if (template !== undefined)
    parameters.set('runtemplate_id', String(await recordIdOf(session, RunTemplate, template, { company: companyId })));
  if (from !== undefined) parameters.set('from', from);
  if (to !== undefined) parameters.set('to', to);
  const listed = core.records<AnyRow>(Task.name);
  const { rows, next } = await listed.list(actor, readListInput(listed.resource, parameters, core.timezone));
  if (next !== null)
    throw badRequest(`More than ${maxTasks} Tasks match: select fewer at a time with --from and --to.`);
  return rows as SelectedTask[];
}

/** Repeats a Task. @returns the id of its job, or why it is not repeated. */
async function repeat(
  { core, actor }: CommandSession,
  command: Command,
  { id, dryRun }: { readonly id: number; readonly dryRun: boolean },
): Promise<{ readonly job: number | null; readonly problem: string | null }> {
  const fields = { task_id: id, ...runFields(command) };
  try {
    if (!dryRun) return { job: (await core.jobs.schedule(actor, fields)).id, problem: null };
    await core.store.dryRun(actor, (tables) => core.jobs.scheduleIn(tables, actor, fields));
    return { job: null, problem: null };
  } catch (error) {
    if (error instanceof HorariumError && error.code !== 'unavailable') return { job: null, problem: error.message };
    throw error;
  }
}

function conclusion({ repeated, refused, dryRun }: { repeated: number; refused: number; dryRun: boolean }): string {
  const count = (number: number) => (number === 1 ? '1 Task' : `${number} Tasks`);
  const rest = refused > 0 ? `; ${count(refused)} cannot be, and the list says why` : '';
  if (dryRun) return `${count(repeated)} would be repeated${rest}. Nothing was scheduled: this was a dry run.\n`;
  const one = repeated === 1;
  const follow = repeated > 0 ? ' job:output JOB --follow shows how it goes.' : '';
  return `${count(repeated)} ${one ? 'is' : 'are'} repeated${rest}.${follow}\n`;
}
