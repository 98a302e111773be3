import {
  Company,
  HorariumError,
  type NamedPause,
  type NamedProblem,
  readTimeBound,
  type Summary,
  shownSummary,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { addStoreOptions, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { CommandExit, explain } from '../../cli/failure.ts';
import { type OutputFormat, outputFormats, render } from '../../cli/output.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { addTimeOption, type Look, lookOf } from '../../cli/shown/look.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';
import { shownTime, zoneNote } from '../../cli/shown/times.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly company?: string;
  readonly watch: boolean;
  readonly format: OutputFormat | 'nagios';
}

/** The time between two looks of `--watch`, in milliseconds. */
const watchInterval = 2000;

/** The exit codes of a monitoring plugin, as Nagios and its successors read them. */
const nagiosCodes = { OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 } as const;

/** Adds `summary`, which tells whether everything is on time, also by its exit code. */
export function addSummaryCommand(program: Command, cli: Cli): void {
  const { io } = cli;
  const command = addTimeOption(addStoreOptions(program.command('summary')))
    .description('Tell whether everything is on time, and what is not. It also tells why, and what runs next.')
    .option('--from <time>', 'Tasks that ended then or later: a time or a date; the start of today if it is left out')
    .option('--to <time>', 'Tasks that ended then or earlier: a time or a date; now if it is left out')
    .option('--company <company>', `only one company: ${recordIdHelp(Company)}`)
    .option('--watch', 'show it again every two seconds, until Ctrl-C', false)
    .addOption(new Option('--format <format>', 'output format').choices([...outputFormats, 'nagios']).default('table'))
    .addHelpText(
      'after',
      '\nThe exit code is 1 if something is not on time. With --format nagios it is 0, 1, 2 or 3: OK, WARNING (late or overdue, or it will be), CRITICAL (missed, failed or not run) or UNKNOWN.',
    );
  command.action(async () => {
    const options = command.opts<Options>();
    if (options.format === 'nagios' && options.watch)
      throw new HorariumError(
        'bad_request',
        'With --watch there is no --format nagios: a monitoring system runs its checks.',
      );
    if (options.format === 'nagios') throw new CommandExit(await checkNagios(cli, command, options));
    await using session = await cli.open(command);
    const look = await lookOf(command, io);
    if (options.watch) return await watch(cli, session, { ...options, format: options.format }, look);
    const summary = await read(session, options, look);
    await io.out(await written(summary, options.format, look));
    if (!summary.ok) throw new CommandExit(1);
  });
}

/** Shows the summary again and again. While the database does not answer it says so, and goes on afterwards. */
async function watch(
  { io }: Cli,
  session: CommandSession,
  options: Options & { readonly format: OutputFormat },
  look: Look,
): Promise<never> {
  for (;;) {
    const text = await read(session, options, look).then(
      (summary) => written(summary, options.format, look),
      (error) => {
        if (error instanceof HorariumError && error.code === 'unavailable') return `${error.message}\n`;
        throw error;
      },
    );
    // Clears the screen of a terminal, so that the new one stands where the old one did.
    await io.out(io.screen ? `\u001b[2J\u001b[H${text}` : text);
    await session.core.clock.sleep(watchInterval);
  }
}

/** @param look of the sentences of a table; other formats have the zone of the service. */
async function read(session: CommandSession, { from, to, company, format }: Options, look?: Look): Promise<Summary> {
  const { core, actor } = session;
  return core.summary(actor, {
    ...(look && format === 'table' && { timezone: look.timezone }),
    ...(from !== undefined && { from: readTimeBound('from', from, core.timezone) }),
    ...(to !== undefined && { to: readTimeBound('to', to, core.timezone) }),
    ...(company !== undefined && { company_id: await recordIdOf(session, Company, company) }),
  });
}

async function written(summary: Summary, format: OutputFormat, look: Look): Promise<string> {
  if (format !== 'table') return render(shownSummary(summary), format);
  const { timezone } = look;
  const { sentence, problems, pauses, further } = summary;
  const rows = problems.map((problem) => problemRow(problem, timezone));
  const table = rows.length > 0 ? `\n${await render(rows, 'table', {}, look)}` : '';
  const more =
    further > 0 ? `and ${further} older Tasks: horarium task:list --state failed,missed,fulfilled_late\n` : '';
  const canRepeat = problems.some(({ kind }) => kind === 'failed' || kind === 'missed');
  const repeat = canRepeat ? 'horarium why task TASK tells more, and horarium task:retry TASK repeats it\n' : '';
  const pauseRows = pauses.map((pause) => pauseRow(pause, timezone));
  const pauseTable = pauseRows.length > 0 ? `\n${await render(pauseRows, 'table', {}, look)}` : '';
  const text = `${escapeControls(sentence)}\n${table}${more}${repeat}${pauseTable}${offText(summary)}`;
  return `${text}${zoneNote(`${sentence}${problems.map(({ reason }) => reason).join()}`, timezone)}`;
}

function offText({ switched_off, problems, pauses }: Summary): string {
  if (switched_off === 0) return '';
  const verb = switched_off === 1 ? '1 run template is' : `${switched_off} run templates are`;
  const space = problems.length + pauses.length > 0 ? '\n' : '';
  return `${space}${verb} switched off: horarium why TEMPLATE tells since when\n`;
}

function pauseRow({ id, runtemplate_id, name, company, until, paused_by, reason }: NamedPause, timezone: string) {
  return {
    pause: id,
    template: runtemplate_id === null ? 'all' : `${runtemplate_id} ${name ?? ''}`,
    company: company ?? 'all',
    until: until === null ? 'resumed' : shownTime(until, timezone),
    by: paused_by,
    reason,
  };
}

function problemRow(problem: NamedProblem, timezone: string) {
  const { kind, count, runtemplate_id, name, company, task_id, window_start, reason, recovered_at } = problem;
  const since = recovered_at === null ? '' : `; fulfilled since ${shownTime(recovered_at, timezone)}`;
  return {
    problem: kind.replaceAll('_', ' '),
    count: count === 1 ? '' : `${count} ×`,
    template: runtemplate_id === null ? '' : `${runtemplate_id} ${name ?? ''}`,
    company,
    task: task_id,
    window: window_start === null ? '' : shownTime(window_start, timezone),
    reason: `${reason}${since}`,
  };
}

/** Prints the line of a monitoring plugin, with performance data. @returns its exit code. */
async function checkNagios(cli: Cli, command: Command, options: Options): Promise<number> {
  const { io } = cli;
  try {
    await using session = await cli.open(command);
    const summary = await read(session, options);
    const status = statusOf(summary);
    const [worst] = summary.problems;
    const reason = worst ? `; ${worst.name ? `${worst.name}: ` : ''}${worst.reason}` : '';
    const line = oneLine(`${summary.sentence}${reason}`);
    await io.out(`${status} - ${escapeControls(line)} | ${performanceData(summary)}\n`);
    return nagiosCodes[status];
  } catch (error) {
    // Also of a bug: any other exit code would be read as a state of the jobs.
    await io.out(`UNKNOWN - ${escapeControls(oneLine(explain(error).text))}\n`);
    return nagiosCodes.UNKNOWN;
  }
}

/** Puts a text in a line without a bar, which would begin the performance data. */
function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll('|', '/')
    .replace(/\s*\n\s*/g, ' ');
}

function statusOf({ ok, problems }: Summary): keyof typeof nagiosCodes {
  if (ok) return 'OK';
  const mild = new Set<NamedProblem['kind']>(['late', 'overdue', 'will_be_late']);
  return problems.every(({ kind }) => mild.has(kind)) ? 'WARNING' : 'CRITICAL';
}

function performanceData(summary: Summary): string {
  const labels = [
    'owed',
    'on_time',
    'late',
    'failed',
    'missed',
    'overdue',
    'will_be_late',
    'will_not_run',
    'paused',
    'running',
  ] as const;
  return labels.map((label) => `${label}=${summary[label]}`).join(' ');
}
