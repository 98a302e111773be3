import {
  type Clock,
  type CommandContext,
  flag,
  formatInstant,
  type PlainRecord,
  type PluginCore,
  startAtOrAfter,
  type Tables,
  text,
} from '@horarium/core/plugin';
import { mailRefusalOf } from '../lines/mail-of-lines.ts';
import { type CrontabFile, readCrontabs } from '../lines/read-crontabs.ts';
import { CrontabSource } from './crontab-source.ts';
import { lastBoot } from './last-boot.ts';
import type { LineChange } from './line-change.ts';
import { planSync } from './plan-sync.ts';
import { syncCrontabs } from './sync-crontabs.ts';

/** The options of every command that lets run templates follow crontabs. */
export const syncOptions = {
  company: text(64, { description: 'code of the company that the run templates belong to' }).required(),
  timezone: text(64, { description: "time zone of lines without CRON_TZ; the service's own if it is left out" }),
  dry_run: flag(false, { description: 'only show what would change' }),
};

type ReportContext = Pick<
  CommandContext<typeof syncOptions, typeof syncOptions>,
  'core' | 'actor' | 'output' | 'options'
>;

/**
 * Prints what a sync of crontabs changes, and then does it, unless that is a dry run.
 * @param prepare is done before the change. It returns what undoes it, which is done if the change fails.
 * @throws HorariumError `invalid` naming every line that cannot be read; nothing is changed then.
 */
export async function syncAndReport(
  { core, actor, output, options }: ReportContext,
  files: readonly CrontabFile[],
  prepare: () => () => void = () => () => undefined,
): Promise<void> {
  const { company, dry_run, timezone } = options;
  const mailRefusal = mailRefusalOf(core);
  const isForbidden = (name: string) => core.variableRefusal(name) !== null;
  const { crontabs, notes } = readCrontabs(files, { timezone, mailRefusal, isForbidden });
  const request = { company, crontabs, sendsMail: mailRefusal === null, boot: lastBoot() };
  // A dry run saves all, and rolls it back, so that it fails where the sync would.
  const changes = dry_run
    ? (await core.store.dryRun(actor, (tables) => syncCrontabs(core, actor, tables, request))).result
    : (await core.store.read((tables) => planSync(tables, request))).changes;
  const changed = changes.filter(({ result }) => result !== 'unchanged');
  await output.print(changed.map((change) => rowOf(core.clock, change)));
  for (const note of [...notes, ...(await notesOn(core, changes))]) await output.note(note);
  if (!dry_run) {
    const undo = prepare();
    try {
      const warnings = await core.store.transaction(actor, async (tables) => {
        await syncCrontabs(core, actor, tables, request);
        return tables.warnings;
      });
      for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
    } catch (error) {
      undo();
      throw error;
    }
  }
  await output.note(summaryOf(changes));
  if (dry_run) await output.note('Nothing was changed: this was a dry run.');
}

function rowOf(clock: Clock, { result, crontab, line, was, code }: LineChange): PlainRecord {
  const { cron, timezone = null } = line?.template ?? { cron: null };
  return {
    result,
    file: crontab.file,
    line: line?.entry.line ?? null,
    schedule: line?.entry.schedule ?? was?.schedule,
    user: line?.user ?? null,
    command: line?.command ?? was?.command,
    was: line && was && result === 'changed' ? `${was.schedule} ${was.command}` : null,
    next: cron === null ? [] : nextRuns(cron, timezone ?? was?.template.timezone ?? 'UTC', clock),
    runtemplate: code,
  };
}

/** The next times at which a line would run. */
function nextRuns(cron: string, timezone: string, clock: Clock, count = 3): string[] {
  const runs: string[] = [];
  for (let from = clock.now(); runs.length < count; ) {
    const start = startAtOrAfter({ interval: 'custom', cron, timezone }, from);
    if (start === null) break;
    runs.push(formatInstant(start));
    from = start + 1;
  }
  return runs;
}

/** Names lines whose templates are switched off, and new ones that an active template of another crontab duplicates. */
async function notesOn({ store }: PluginCore, changes: readonly LineChange[]): Promise<string[]> {
  const added = changes.filter(({ result }) => result === 'added');
  const copies = await store.read((tables) => copiesOf(tables, added));
  const ofSwitchedOff = changes.flatMap(({ result, crontab, line, was, code }) =>
    result !== 'removed' && result !== 'restored' && line && was && !was.template.active
      ? [`${crontab.file}, line ${line.entry.line}: its run template ${code} is switched off, so it does not run.`]
      : [],
  );
  return [...ofSwitchedOff, ...copies];
}

async function copiesOf(tables: Tables, added: readonly LineChange[]): Promise<string[]> {
  const contents = [...new Set(added.flatMap(({ line }) => line?.content ?? []))];
  const sources = await tables.of(CrontabSource).find({
    where: [
      ['crontab_content', 'in', contents],
      ['crontab_line', '!=', null],
    ],
  });
  return added.flatMap(({ crontab, line }) => {
    const other = sources.find(
      ({ crontab: name, crontab_content }) => crontab_content === line?.content && name !== crontab.source,
    );
    if (!line || !other) return [];
    return [
      `${crontab.file}, line ${line.entry.line}: ${other.crontab}, line ${other.crontab_line}, is the same; both will run.`,
    ];
  });
}

const results = ['added', 'changed', 'restored', 'removed', 'unchanged'] as const;

/** Counts what became of lines: `2 added, 1 removed, 40 unchanged.` */
function summaryOf(changes: readonly LineChange[]): string {
  const counts = results
    .map((result) => ({ result, count: changes.filter((change) => change.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`);
  return counts.length === 0 ? 'The files hold no line that runs.' : `${counts.join(', ')}.`;
}
