import {
  badRequest,
  type ChangesSinceSuccess,
  type ExplainedKind,
  type Explanation,
  parseId,
  RunTemplate,
  type SavedChange,
  shownExplanation,
} from '@horarium/core';
import { Argument, type Command } from 'commander';
import { readIdArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { offering } from '../../cli/completion/offers.ts';
import { isRecord, type OutputFormat, printWarnings, render } from '../../cli/output.ts';
import { recordIdOf } from '../../cli/record-id.ts';
import { paint } from '../../cli/shown/colours.ts';
import { type Look, lookOf } from '../../cli/shown/look.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';
import { shownTime, zoneNote } from '../../cli/shown/times.ts';

/** Adds `why`, which tells why something runs or not, and `undo`, which saves the values from before a change. */
export function addWhyCommands(program: Command, cli: Cli): void {
  addWhy(program, cli);
  addUndo(program, cli);
}

const kinds: Readonly<Record<string, ExplainedKind>> = { runtemplate: 'RunTemplate', task: 'Task', job: 'Job' };

function addWhy(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'why')
    .description(
      'Tell why a run template, a Task or a job runs or not. It also tells what has changed since the last success.',
    )
    .addArgument(
      offering(
        new Argument('<what>', 'id, code or name of a run template; or one of the words task, job and runtemplate'),
        { values: Object.keys(kinds) },
      ),
    )
    .argument('[id]', 'after such a word: the id of the Task or the job')
    .addHelpText(
      'after',
      '\nExamples:\n  horarium why nightly-backup\n  horarium why task 4711\n  horarium why job 8042',
    );
  command.action(async (what: string, id: string | undefined) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { format } = command.opts<{ format: OutputFormat }>();
    const subject = await subjectOf(session, what, id);
    const look = await lookOf(command, cli.io);
    await cli.io.out(
      format === 'table'
        ? await written(await core.why(actor, { ...subject, timezone: look.timezone }), look)
        : await render(shownExplanation(await core.why(actor, subject)), format),
    );
  });
}

/** Reads which record is meant: a word and an id, or a run template by what names it. */
async function subjectOf(session: CommandSession, what: string, id: string | undefined) {
  const kind = Object.hasOwn(kinds, what) ? kinds[what] : undefined;
  if (id === undefined) {
    if (kind && kind !== 'RunTemplate') throw badRequest(`The id is missing: horarium why ${what} ID.`);
    return { kind: 'RunTemplate', id: await recordIdOf(session, RunTemplate, what) } as const;
  }
  if (!kind) throw badRequest(`${what} ${id} names no record: say task ${id}, job ${id} or a run template.`);
  if (kind === 'RunTemplate') return { kind, id: await recordIdOf(session, RunTemplate, id) };
  return { kind, id: parseId('id', id) };
}

async function written({ sentence, conditions, since_success }: Explanation, look: Look): Promise<string> {
  const rows = conditions.map(({ name, met, text }) => ({ met: met ? 'yes' : 'NO', condition: words(name), text }));
  const parts = [`${escapeControls(sentence)}\n`];
  if (rows.length > 0) parts.push(await render(rows, 'table', {}, look));
  if (since_success) parts.push(...(await sinceParts(since_success, look)));
  const note = zoneNote([sentence, ...conditions.map(({ text }) => text)].join('\n'), look.timezone);
  return [...parts, ...(note === '' ? [] : [note])].join('\n');
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

async function sinceParts(since: ChangesSinceSuccess, look: Look): Promise<string[]> {
  const { timezone } = look;
  const { job_id, changes, further, hidden, archived_before: archived, differences } = since;
  // The Task may have been fulfilled since, by a repetition.
  const [success, begin] =
    job_id === null
      ? ['No success before that run is known', 'the template was created']
      : [`The last success before that run was job ${job_id}`, 'it began'];
  const hasUndone = changes.some(({ undone_by }) => undone_by !== null);
  const rows = changes.flatMap((change) => changeRows(change, timezone, hasUndone));
  const nothing = archived === null ? 'Nothing was saved' : 'Nothing is known to have been saved';
  const saved = rows.length + hidden > 0 ? 'Saved' : nothing;
  const lines = [
    `${success}. ${saved} since ${begin} at ${shownTime(since.since, timezone)}${rows.length > 0 ? ':' : '.'}`,
    ...(rows.length > 0 ? [(await render(rows, 'table', {}, look)).trimEnd()] : []),
    ...(further > 0 ? [`and ${further} older changes: horarium auditlog:list`] : []),
    ...(hidden > 0 ? [`and ${hidden} changes that you may not read`] : []),
    ...(archived === null
      ? []
      : [
          `Changes before ${shownTime(archived, timezone)} are not known: those entries have left the database for the archive of the audit log.`,
        ]),
  ];
  const parts = [`${lines.join('\n')}\n`];
  if (differences.length > 0)
    parts.push(
      `${paint(look.colours, 'bold', 'Other differences:')}\n${await render(
        differences.map((each) => ({ ...each })),
        'table',
        {},
        look,
      )}`,
    );
  if (changes.some(({ action, undone_by }) => action === 'update' && undone_by === null))
    parts.push('horarium undo ENTRY saves the values from before an entry; --dry-run shows what would follow.\n');
  return parts;
}

/** One row for each field that a change has set. @param hasUndone whether one of the changes was undone. */
function changeRows(change: SavedChange, timezone: string, hasUndone: boolean) {
  const { auditlog_id, at, actor, channel, action, entity_type, entity_id, name, changes, undone_by } = change;
  const record = `${entity_type} ${entity_id}${name === null ? '' : ` ${name}`}`;
  const about = { entry: auditlog_id, time: shownTime(at, timezone), by: `${actor} (${channel})`, record };
  const undone = undone_by && `by ${undone_by.actor} at ${shownTime(undone_by.at, timezone)}`;
  const end = hasUndone ? { undone } : {};
  if (action !== 'update') return [{ ...about, change: `${action}d`, before: null, after: null, ...end }];
  return fieldRows(changes).map((row) => ({ ...about, ...row, ...end }));
}

/** One row for each field; of a field that holds an object one for each member that differs. */
function fieldRows(changes: SavedChange['changes']) {
  return Object.entries(changes).flatMap(([change, [before, after]]) => {
    if (!isRecord(before) || !isRecord(after)) return [{ change, before, after }];
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return members
      .filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]))
      .map((member) => ({ change: `${change}.${member}`, before: before[member], after: after[member] }));
  });
}

function addUndo(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'undo')
    .description('Save the values that a record had before a change. It refuses where they were changed again since.')
    .argument('<entry>', 'id of the entry of the audit log; why and auditlog:list show it', readIdArgument)
    .option('--dry-run', 'change nothing, and tell what would be created, updated and deleted', false);
  command.action(async (entry: number) => {
    const { dryRun, format } = command.opts<{ dryRun: boolean; format: OutputFormat }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { result, consequences } = dryRun
      ? await core.store.dryRun(actor, (tables) => core.undoIn(tables, actor, entry))
      : { result: await core.undo(actor, entry), consequences: [] };
    const { warnings, row: _stored, ...undone } = result;
    await printWarnings(cli.io, { warnings: [...consequences, ...warnings] });
    const value = format === 'table' ? fieldRows(undone.changes) : undone;
    await cli.io.out(await render(value, format, {}, await lookOf(command, cli.io)));
    const { entity_type, entity_id } = undone;
    if (!dryRun)
      await cli.io.err(`Entry ${entry} is undone: ${entity_type} ${entity_id} has its former values again.\n`);
  });
}
