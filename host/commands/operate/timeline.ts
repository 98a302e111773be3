import {
  App,
  Company,
  formatLocalTime,
  maxTimelineRows,
  RunTemplate,
  readTimeBound,
  shownTimeline,
  type Timeline,
  type TimelineRequest,
  type TimelineRow,
  type TimelineState,
  timelineStates,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { readCountArgument } from '../../cli/arguments.ts';
import { addStoreOptions, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { offering } from '../../cli/completion/offers.ts';
import { render } from '../../cli/output.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { paint } from '../../cli/shown/colours.ts';
import { truncateToWidth } from '../../cli/shown/fit-columns.ts';
import { addTimeOption, type Look, lookOf } from '../../cli/shown/look.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly company?: string;
  readonly app?: string;
  readonly template?: string;
  readonly name?: string;
  readonly state?: string;
  readonly limit?: number;
  readonly after?: string;
  readonly slots?: number;
  readonly format: (typeof formats)[number];
}

const formats = ['table', 'json', 'yaml'] as const;

type Kind = 'fulfilled' | TimelineState | 'to_come' | 'held' | 'until_deadline';

/** What stands for what in a row, the most urgent first: of several in a column the first one is shown. */
const marks: readonly (readonly [kind: Kind, mark: string, style: Parameters<typeof paint>[1], meaning: string])[] = [
  ['failed', 'F', 'red', 'failed'],
  ['missed', 'M', 'red', 'missed'],
  ['fulfilled_late', 'L', 'yellow', 'late'],
  ['running', 'R', 'blue', 'running'],
  ['open', 'o', 'blue', 'open'],
  ['cancelled', 'c', 'dim', 'cancelled'],
  ['fulfilled', '#', 'green', 'on time'],
  ['held', '=', 'dim', 'held by a pause'],
  ['to_come', '.', 'dim', 'to come'],
  ['until_deadline', '-', 'dim', 'until the deadline'],
];
const rankOf = new Map(marks.map(([kind], rank) => [kind, rank]));

/** The width of the names before the rows, and how many columns of time there are where no terminal shows them. */
const labelWidth = 28;
const defaultSlots = 72;

/** Adds `timeline`, which shows when what ran and what comes. */
export function addTimelineCommand(program: Command, cli: Cli): void {
  const { io } = cli;
  const command = addTimeOption(addStoreOptions(program.command('timeline')))
    .description(
      'Show when what ran and what comes. It has a row for each run template, and a character for each stretch of time.',
    )
    .option('--from <time>', 'the start: a time or a date; 24 hours ago if it is left out')
    .option('--to <time>', 'the end: a time or a date; in six hours if it is left out')
    .option('--company <company>', `only one company: ${recordIdHelp(Company)}`)
    .option('--app <app>', `only one App: ${recordIdHelp(App)}`)
    .option('--template <template>', `only one run template: ${recordIdHelp(RunTemplate)}`)
    .option('--name <text>', 'only run templates whose name or code has this text in it')
    .addOption(
      offering(new Option('--state <states>', `only run templates with a Task that is ${timelineStates.join(', ')}`), {
        values: timelineStates,
        separated: true,
      }),
    )
    .option(
      '--limit <number>',
      `how many run templates, up to ${maxTimelineRows}; 100 if it is left out`,
      readCountArgument,
    )
    .option('--after <template>', `those that follow this one: ${recordIdHelp(RunTemplate)}`)
    .option('--slots <number>', 'how many columns of time; as many as fit if it is left out', readCountArgument)
    .addOption(new Option('--format <format>', 'output format').choices(formats).default('table'))
    .addHelpText(
      'after',
      `\nOf several windows in a column the worst is shown. ${legend()}.\n\nExamples:\n  horarium timeline --company acme\n  horarium timeline --from 2026-11-01 --to 2026-11-30 --state failed,missed`,
    );
  command.action(async () => {
    const options = command.opts<Options>();
    const { format } = options;
    await using session = await cli.open(command);
    const look = await lookOf(command, io);
    const timeline = await session.core.timeline(session.actor, await requestOf(session, options, look));
    if (format !== 'table') return io.out(await render(shownTimeline(timeline), format));
    await io.out(tableOf(timeline, look));
    if (timeline.next !== null) await io.err(`There are more: horarium timeline --after ${timeline.next}\n`);
  });
}

async function requestOf(session: CommandSession, options: Options, look: Look): Promise<TimelineRequest> {
  const { core } = session;
  const { from, to, company, app, template, name, state, limit, after, format } = options;
  const slots = options.slots ?? (format === 'table' ? fittingSlots(look) : undefined);
  return {
    timezone: look.timezone,
    ...(from !== undefined && { from: readTimeBound('from', from, core.timezone) }),
    ...(to !== undefined && { to: readTimeBound('to', to, core.timezone) }),
    ...(company !== undefined && { company_id: await recordIdOf(session, Company, company) }),
    ...(app !== undefined && { app_id: await recordIdOf(session, App, app) }),
    ...(template !== undefined && { templateIds: [await recordIdOf(session, RunTemplate, template)] }),
    ...(after !== undefined && { after: await recordIdOf(session, RunTemplate, after) }),
    ...(name !== undefined && { name }),
    ...(state !== undefined && { states: state.split(',') as TimelineState[] }),
    ...(limit !== undefined && { limit }),
    ...(slots !== undefined && { slots }),
  };
}

function fittingSlots({ width }: Look): number {
  return width === undefined ? defaultSlots : Math.max(12, width - labelWidth);
}

function tableOf(timeline: Timeline, look: Look): string {
  const { time, from, to, slots, slot, templates, timezone } = timeline;
  const lines: string[] = [];
  const [start, end] = [from, to].map((at) => formatLocalTime(at, timezone)) as [string, string];
  lines.push(`${' '.repeat(labelWidth)}${start}${end.padStart(Math.max(end.length + 1, slots - start.length))}`);
  const now = Math.floor((time - from) / slot);
  if (time >= from && time < to) lines.push(`${' '.repeat(labelWidth + now)}v now`);
  let company: number | null = null;
  for (const row of templates) {
    if (row.company_id !== company) lines.push(paint(look.colours, 'bold', escapeControls(row.company)));
    company = row.company_id;
    lines.push(`${labelOf(row)}${charactersOf(row, timeline, look.colours)}`);
  }
  if (templates.length === 0) lines.push('No run template matches.');
  else lines.push('', `${legend()}.`);
  return `${lines.map((line) => line.trimEnd()).join('\n')}\nTimes are in ${timezone}.\n`;
}

function legend(): string {
  return marks.map(([, mark, , meaning]) => `${mark} ${meaning}`).join(', ');
}

function labelOf({ id, name, off }: TimelineRow): string {
  const state = off === null ? '' : ` (${off.replaceAll('_', ' ')})`;
  const room = labelWidth - 3 - `${id}${state}`.length;
  return `  ${`${id} ${truncateToWidth(escapeControls(name), Math.max(4, room - 1))}${state}`.padEnd(labelWidth - 2)}`;
}

/** Writes one character for each slot of a row. */
function charactersOf(row: TimelineRow, { slots, slot, to, from, states }: Timeline, colours: boolean): string {
  const ranks = new Array<number>(slots).fill(marks.length);
  const last = Math.min(slots, Math.ceil((to - from) / slot)) - 1;
  const put = (index: number, kind: string) => {
    const rank = rankOf.get(kind as Kind) ?? marks.length;
    if (index <= last) ranks[index] = Math.min(ranks[index] ?? rank, rank);
  };
  const putWindow = (start: number, deadline: number, kind: string) => {
    put(Math.max(0, Math.floor(start / slot)), kind);
    for (let at = Math.max(0, Math.floor(start / slot) + 1); at <= last && at * slot < deadline; at += 1)
      put(at, 'until_deadline');
  };
  const { tasks, to_come, counts } = row;
  for (const [index, start] of tasks?.start.entries() ?? [])
    putWindow(start, tasks?.deadline[index] ?? 0, states[tasks?.state[index] ?? 0] ?? '');
  for (const [index, start] of to_come?.start.entries() ?? [])
    putWindow(start, to_come?.deadline[index] ?? 0, to_come?.held[index] ? 'held' : 'to_come');
  const { fulfilled = [], to_come: coming = [], held = [], ...others } = counts ?? {};
  for (const [kind, list] of Object.entries({ fulfilled, to_come: coming, held }))
    for (const [index, count] of list.entries()) if (count > 0) put(index, kind);
  for (const [kind, list] of Object.entries(others)) for (const [index] of list) put(index, kind);
  return ranks.map((rank) => markAt(rank, colours)).join('');
}

function markAt(rank: number, colours: boolean): string {
  const [, mark, style] = marks[rank] ?? [];
  return mark === undefined || style === undefined ? ' ' : paint(colours, style, mark);
}
