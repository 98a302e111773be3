import { formatInstant, HorariumError, type PlannedRun, RunTemplate, readTimeBound } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import type { OutputFormat } from '../../cli/output.ts';
import { grouped, ProgressLine } from '../../cli/progress-line.ts';
import { paint } from '../../cli/shown/colours.ts';
import { csvPieces } from '../../cli/shown/csv.ts';
import { type Look, lookOf } from '../../cli/shown/look.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';
import { shownTime, withLocalTimes } from '../../cli/shown/times.ts';

const dayLength = 86_400_000;

/** Adds `simulate`, which runs the real scheduler over the real run templates in virtual time. */
export function addSimulateCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'simulate')
    .description('Show what would run and when, without running anything.')
    .option('--from <time>', 'the start: a time or a date; now if it is left out')
    .option('--to <time>', 'the end: a time or the start of a date; a day after --from if it is left out');
  command.action(async () => {
    const { format, from, to } = command.opts<{ format: OutputFormat; from?: string; to?: string }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const start = from === undefined ? core.clock.now() : readTimeBound('from', from, core.timezone);
    const end = to === undefined ? start + dayLength : readTimeBound('to', to, core.timezone, 'first');
    if (end <= start) throw new HorariumError('bad_request', '--to must lie after --from.');
    const names = await templateNames(session);
    const look = await lookOf(command, cli.io);
    const runs = new CountedRuns(core.simulate(actor, start, end), names);
    const pieces =
      format === 'csv' ? csvPieces(runs.pages(), csvColumns) : textPieces(runs.pages(), writersFor(look)[format]);
    await using progress = new ProgressLine(cli.io);
    for await (const piece of pieces) {
      await cli.io.out(piece);
      // At a terminal the lines themselves show how far it is.
      if (!cli.io.screen) progress.show(`${grouped(runs.count)} runs, ${runs.percentOf(start, end)} %`);
    }
    await progress.end();
    const { count, templates } = runs;
    await cli.io.err(
      `${count} runs of ${templates} run templates from ${shownTime(start, look.timezone)} to ${shownTime(end, look.timezone)}.\n`,
    );
  });
}

async function templateNames({ core }: CommandSession): Promise<ReadonlyMap<number, string>> {
  const rows = await core.store.read((tables) => tables.of(RunTemplate).find({ columns: ['id', 'name'] }));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A run as it is written. */
interface Line extends Readonly<Record<string, unknown>> {
  readonly due: string;
  readonly runtemplate_id: number;
  readonly name: string;
  readonly window_start: string;
  readonly window_end: string;
  readonly deadline: string;
  readonly pause_id: number | null;
  readonly maintenance_window_id: number | null;
}

/** The syntax of a list that is written piece by piece, so that its length does not matter. */
interface ListWriter {
  readonly begin: string;
  readonly line: (line: Line, isFirst: boolean) => string;
  readonly end: (isEmpty: boolean) => string;
}

const heading = ['due', 'window_start', 'deadline', 'id', 'name'] as const;
const tableLine = (due: string, start: string, deadline: string, id: string, name: string) =>
  `${due.padEnd(25)}  ${start.padEnd(25)}  ${deadline.padEnd(25)}  ${id.padEnd(6)}  ${name}\n`;

const writersFor = ({ timezone, colours }: Look): Readonly<Record<Exclude<OutputFormat, 'csv'>, ListWriter>> => ({
  table: {
    begin: `${paint(colours, 'bold', tableLine(...heading).trimEnd())}\n`,
    line: (line) => {
      const { runtemplate_id, name } = line;
      const [due, start, deadline] = [line.due, line.window_start, line.deadline].map((time) =>
        String(withLocalTimes(time, timezone)),
      ) as [string, string, string];
      return tableLine(due, start, deadline, String(runtemplate_id), `${escapeControls(name)}${heldText(line)}`);
    },
    end: () => '',
  },
  json: {
    begin: '[',
    line: (line, isFirst) => `${isFirst ? '' : ','}\n  ${JSON.stringify(line)}`,
    end: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
  },
  // Each line is a JSON object, which is YAML too.
  yaml: { begin: '', line: (line) => `- ${JSON.stringify(line)}\n`, end: (isEmpty) => (isEmpty ? '[]\n' : '') },
});

function heldText({ pause_id, maintenance_window_id }: Line): string {
  if (pause_id !== null) return ` (held by Pause ${pause_id})`;
  return maintenance_window_id === null ? '' : ` (held by MaintenanceWindow ${maintenance_window_id})`;
}

/** The number of lines that are written at once. */
const batch = 500;
const csvColumns: readonly (keyof Line & string)[] = [
  'due',
  'runtemplate_id',
  'name',
  'window_start',
  'window_end',
  'deadline',
  'pause_id',
  'maintenance_window_id',
];

/** Counts the runs, and the templates that they are of, while their lines are read. */
class CountedRuns {
  readonly #runs: AsyncIterable<PlannedRun>;
  readonly #names: ReadonlyMap<number, string>;
  readonly #templateIds = new Set<number>();
  #dueAt: number | null = null;
  count = 0;

  constructor(runs: AsyncIterable<PlannedRun>, names: ReadonlyMap<number, string>) {
    this.#runs = runs;
    this.#names = names;
  }

  get templates(): number {
    return this.#templateIds.size;
  }

  /** How much of a range of time lies before the run that was read last. */
  percentOf(start: number, end: number): number {
    return Math.min(100, Math.max(0, Math.floor((((this.#dueAt ?? start) - start) / (end - start)) * 100)));
  }

  async *pages(): AsyncIterable<readonly Line[]> {
    let page: Line[] = [];
    for await (const run of this.#runs) {
      page.push(lineOf(run, this.#names));
      this.count += 1;
      this.#dueAt = run.dueAt;
      this.#templateIds.add(run.templateId);
      if (page.length < batch) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }
}

async function* textPieces(pages: AsyncIterable<readonly Line[]>, writer: ListWriter): AsyncIterable<string> {
  let isEmpty = true;
  yield writer.begin;
  for await (const page of pages) {
    yield page.map((line, index) => writer.line(line, isEmpty && index === 0)).join('');
    isEmpty = false;
  }
  yield writer.end(isEmpty);
}

function lineOf(
  { templateId, dueAt, windowStart, windowEnd, deadline, pauseId, maintenanceWindowId }: PlannedRun,
  names: ReadonlyMap<number, string>,
): Line {
  return {
    due: formatInstant(dueAt),
    runtemplate_id: templateId,
    name: names.get(templateId) ?? '',
    window_start: formatInstant(windowStart),
    window_end: formatInstant(windowEnd),
    deadline: formatInstant(deadline),
    pause_id: pauseId,
    maintenance_window_id: maintenanceWindowId,
  };
}
