import {
  badRequest,
  Company,
  catchUps,
  describePause,
  formatInstant,
  HorariumError,
  Pause,
  type PauseRow,
  parseDuration,
  RunTemplate,
  readLocalTime,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { readIdArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { printWarnings } from '../../cli/output.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { printRecord, printRecords } from '../../cli/records/print-records.ts';
import { lookOf } from '../../cli/shown/look.ts';
import { shownTime } from '../../cli/shown/times.ts';

interface ScopeOptions {
  readonly template?: string;
  readonly company?: string;
  readonly all?: boolean;
}

/** What a pause holds, as its record names it. */
type PauseScope = Pick<PauseRow, 'runtemplate_id' | 'company_id'>;

/** The word that stands for the end of a pause which only a person ends. */
const untilResumed = 'resumed';

/** Adds `pause` and `resume`, which hold the starts of jobs and let them go on. */
export function addPauseCommands(program: Command, cli: Cli): void {
  addPause(program, cli);
  addResume(program, cli);
}

function addScopeOptions(command: Command): Command {
  return command
    .option('--template <template>', recordIdHelp(RunTemplate))
    .option('--company <company>', `all of a company: ${recordIdHelp(Company)}`)
    .option('--all', 'all of all companies; only admins may');
}

interface PauseOptions extends ScopeOptions {
  readonly for?: string;
  readonly until?: string;
  readonly from?: string;
  readonly reason: string;
  readonly catchUp?: PauseRow['catch_up'];
}

function addPause(program: Command, cli: Cli): void {
  const command = addScopeOptions(addStoreCommand(program, 'pause'))
    .description('Let no job start for a while; running ones go on. It ends by itself, or by resume.')
    .option('--for <duration>', 'how long: 45s, 90m, 2h, 3d')
    .option('--until <time>', `until when: a time, a local time such as 14:00, a date, or the word ${untilResumed}`)
    .option('--from <time>', 'from when on; now if it is left out')
    .requiredOption('--reason <text>', 'what for; each Task that it cancels names it')
    .addOption(
      new Option(
        '--catch-up <which>',
        'which of the windows that pass meanwhile run afterwards (default: none)',
      ).choices(catchUps),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  horarium pause --for 2h --template nightly-backup --reason "disk is being replaced"\n  horarium pause --until 14:00 --company acme --reason lunch\n  horarium pause --until resumed --all --reason "the datacentre moves"',
    );
  command.action(async () => {
    const { for: duration, until, from, reason, catchUp, ...scope } = command.opts<PauseOptions>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { timezone } = core;
    const time = (option: string, text: string) => readLocalTime(option, text, timezone, core.clock.now());
    const start = from === undefined ? undefined : time('--from', from);
    const end = endOf({ duration, until }, start ?? core.clock.now(), (text) => time('--until', text));
    const pause = await core.pauses.save(actor, {
      ...(await scopeOf(session, scope)),
      ...(start !== undefined && { starts_at: formatInstant(start) }),
      until: end === null ? null : formatInstant(end),
      reason,
      ...(catchUp && { catch_up: catchUp }),
    });
    const [shown] = await core.forChannels.serialize(Pause, [pause], 'list');
    await printRecord(session, cli.io, command, { resource: Pause, record: shown as Record<string, unknown> });
    await printWarnings(cli.io, pause);
    const look = await lookOf(command, cli.io);
    const starts = start === undefined ? '' : ` from ${shownTime(start, look.timezone)}`;
    const ends = end === null ? '' : ` until ${shownTime(end, look.timezone)}`;
    await cli.io.err(`Pause ${pause.id} holds new jobs${starts}${ends}; horarium resume ${pause.id} ends it.\n`);
  });
}

/** Returns when a pause ends by its options; null = when a person resumes. */
function endOf(
  { duration, until }: { readonly duration: string | undefined; readonly until: string | undefined },
  start: number,
  readTime: (text: string) => number,
): number | null {
  if (duration !== undefined && until !== undefined) throw badRequest('Give either --for or --until.');
  if (until === untilResumed) return null;
  if (until !== undefined) return readTime(until);
  if (duration === undefined)
    throw badRequest(`Say how long: --for 2h, --until 14:00, or --until ${untilResumed} for a pause without an end.`);
  const length = parseDuration(duration);
  if (length === undefined) throw badRequest(`--for must be a duration such as 45s, 90m, 2h or 3d, not ${duration}.`);
  return start + length;
}

/**
 * Reads what is to be paused or resumed.
 * @param otherwise what else the command takes. @default nothing
 * @throws HorariumError `bad_request` unless exactly one of the options is given.
 */
async function scopeOf(
  session: CommandSession,
  { template, company, all }: ScopeOptions,
  otherwise = '',
): Promise<PauseScope> {
  if ([template, company, all].filter((each) => each !== undefined).length !== 1)
    throw badRequest(`Say what: ${otherwise}one of --template, --company and --all.`);
  if (all) return { runtemplate_id: null, company_id: null };
  if (company !== undefined) return { runtemplate_id: null, company_id: await recordIdOf(session, Company, company) };
  const id = await recordIdOf(session, RunTemplate, template as string);
  const { company_id } = await session.core.runTemplates.get(session.actor, id);
  return { runtemplate_id: id, company_id };
}

function addResume(program: Command, cli: Cli): void {
  const command = addScopeOptions(addStoreCommand(program, 'resume'))
    .description('End a pause, or those of a template, of a company or of all.')
    .argument(
      '[what]',
      'id of the pause, which summary and pause:list show; or code or name of a run template',
      (text: string) => (/^\d+$/.test(text) ? readIdArgument(text) : text),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  horarium resume nightly-backup\n  horarium resume 3\n  horarium resume --all',
    );
  command.action(async (what: number | string | undefined) => {
    const { template, company, all } = command.opts<ScopeOptions>();
    const options = { ...(template && { template }), ...(company && { company }), ...(all && { all }) };
    await using session = await cli.open(command);
    const { core, actor } = session;
    if (what !== undefined && Object.keys(options).length > 0)
      throw badRequest('Give either the id of the pause or what it holds.');
    const { timezone } = await lookOf(command, cli.io);
    const scope = typeof what === 'string' ? { template: what } : options;
    const scoped = () => scopeOf(session, scope, 'the id of the pause, a run template, or ');
    const ids = typeof what === 'number' ? [what] : await pausesOf(session, await scoped(), timezone);
    const ended: Record<string, unknown>[] = [];
    for (const each of ids) {
      // A time that has passed stands for now, whatever the clock of this machine shows.
      const pause = await core.pauses.save(actor, { id: each, until: formatInstant(0) });
      ended.push(...((await core.forChannels.serialize(Pause, [pause], 'list')) as Record<string, unknown>[]));
    }
    await printRecords(session, cli.io, command, { resource: Pause, records: ended });
    await cli.io.err(`${ids.length === 1 ? `Pause ${ids[0]} is` : `${ids.length} pauses are`} over.\n`);
  });
}

/** More than the pauses of a company and of all companies that may lie ahead or be in force. */
const maxRead = 1000;

/** Lists the pauses in force of exactly that scope. @throws HorariumError `not_found` if there is none. */
async function pausesOf(
  { core, actor }: CommandSession,
  scope: PauseScope,
  timezone: string,
): Promise<readonly number[]> {
  const ofScope = { any: [[['company_id', '=', scope.company_id]], [['company_id', '=', null]]] } as const;
  const { rows } = await core.pauses.list(actor, { where: [['ended_at', '=', null], ofScope], limit: maxRead });
  const now = core.clock.now();
  const begun = rows.filter(({ starts_at }) => starts_at !== null && starts_at <= now);
  const own = begun.filter(
    ({ runtemplate_id, company_id }) => runtemplate_id === scope.runtemplate_id && company_id === scope.company_id,
  );
  if (own.length > 0) return own.map(({ id }) => id);
  const [wider] = begun.filter(
    ({ runtemplate_id, company_id }) =>
      runtemplate_id === null && (company_id === null || company_id === scope.company_id),
  );
  const hint = wider
    ? ` Pause ${wider.id} of ${wider.company_id === null ? 'all companies' : 'the company'} holds it, ${describePause(wider, (at) => shownTime(at, timezone))}.`
    : '';
  throw new HorariumError('not_found', `No pause of just that is in force.${hint}`);
}
