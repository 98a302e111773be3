import {
  type Actor,
  type Clock,
  type CommandContext,
  Company,
  flag,
  formatInstant,
  HorariumError,
  type PlainRecord,
  type PluginCore,
  ref,
  startAtOrAfter,
  type Tables,
  text,
} from '@horarium/core/plugin';
import { refusedUsers } from '../lines/differences.ts';
import { mailRefusalOf } from '../lines/mail-of-lines.ts';
import type { ReadCrontab, ReadCrontabs, ReadOptions } from '../lines/read-crontabs.ts';
import { CrontabSource } from './crontab-source.ts';
import { lastBoot } from './last-boot.ts';
import type { FormerCrontabLine, LineChange } from './line-change.ts';
import { planSync, type SyncRequest } from './plan-sync.ts';
import { syncCrontabs } from './sync-crontabs.ts';
import { cronZoneNotes, zoneNotes } from './zone-notes.ts';
import type { ZonedLine } from './zoned-crontab.ts';

/** The options of every command that lets run templates follow crontabs. */
export const syncOptions = {
  company: ref('Company', { description: 'the company that the run templates belong to' }).required(),
  timezone: text(64, {
    description:
      'time zone of lines without CRON_TZ, which later syncs of the crontab keep; by default that of this machine if it runs them, else that of the service',
  }),
  dry_run: flag(false, { description: 'only show what would change' }),
};

type ReportContext = Pick<
  CommandContext<typeof syncOptions, typeof syncOptions>,
  'core' | 'actor' | 'output' | 'options'
>;

/**
 * Prints what a sync of crontabs changes, and then does it, unless that is a dry run.
 * @param read reads the crontabs.
 * @param takeOver takes the crontabs from the machine that runs them, before the change. It returns what undoes that, which is
 *   done if the change fails.
 * @throws HorariumError as `read`, and `conflict` where lines that would be taken over could not run as their users; nothing is
 *   changed then.
 */
export async function syncAndReport(
  { core, actor, output, options }: ReportContext,
  read: (options: ReadOptions) => ReadCrontabs,
  takeOver: (() => () => void) | null = null,
): Promise<void> {
  const { dry_run, timezone } = options;
  const company = await core.records(Company).get(actor, options.company);
  const mailRefusal = mailRefusalOf(core);
  const isForbidden = (name: string) => core.refusals.variable(name) !== null;
  const { crontabs, notes } = read({ mailRefusal, isForbidden });
  const refused = refusedUsers(crontabs, (user) => core.refusals.start('native', { user }, company.run_as));
  if (takeOver !== null && refused.length > 0 && !dry_run)
    throw new HorariumError('conflict', [...refused, 'Nothing was changed.'].join('\n'));
  assertSyncable(crontabs);
  const request = {
    companyId: company.id,
    crontabs,
    sendsMail: mailRefusal === null,
    boot: lastBoot(),
    timezone,
    serviceTimezone: core.timezone,
  };
  const onProgress = (done: number, total: number) => output.progress(done, total, 'lines');
  // A dry run saves all, and rolls it back, so that it fails where the sync would.
  const changes = dry_run
    ? (await core.store.dryRun(actor, (tables) => syncCrontabs(core, actor, tables, request, onProgress))).result
    : await core.store.read((tables) => planSync(tables, request));
  const changed = changes.filter(({ result }) => result !== 'unchanged');
  await output.print(changed.map((change) => rowOf(core.clock, change)));
  const remarks = [
    ...refused,
    ...notes,
    ...zoneNotes(changed, request),
    ...cronZoneNotes(changed),
    ...(await notesOn(core, changes)),
  ];
  for (const remark of remarks) await output.note(remark);
  if (!dry_run) {
    const warnings = await change(core, actor, request, { takeOver, onProgress });
    for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
  }
  await output.note(summaryOf(changes));
  if (dry_run) await output.note('Nothing was changed: this was a dry run.');
}

/** How many lines crontabs that are synced together may run. */
const maxLines = 10_000;

/** @throws HorariumError `bad_request` for crontabs that have one name, `invalid` for too many lines. */
function assertSyncable(crontabs: readonly ReadCrontab[]): void {
  const twice = crontabs.find(({ source }, index) => crontabs.findIndex((other) => other.source === source) !== index);
  if (twice) throw new HorariumError('bad_request', `${twice.file} is named twice.`);
  const count = crontabs.reduce((sum, { lines }) => sum + lines.length, 0);
  if (count > maxLines)
    throw new HorariumError('invalid', `There are ${count} lines to run, and ${maxLines} at most are synced at once.`);
}

/** How a sync is done. */
interface SyncSteps {
  readonly takeOver: (() => () => void) | null;
  onProgress(done: number, total: number): void;
}

/** Does what a sync is to do, and takes the crontabs over, or neither. @returns warnings. */
async function change(core: PluginCore, actor: Actor, request: SyncRequest, { takeOver, onProgress }: SyncSteps) {
  const undo = takeOver?.();
  try {
    return await core.store.transaction(actor, async (tables) => {
      await syncCrontabs(core, actor, tables, request, onProgress);
      return tables.warnings;
    });
  } catch (error) {
    undo?.();
    throw error;
  }
}

function rowOf(clock: Clock, { result, crontab, line, was, code }: LineChange): PlainRecord {
  return {
    result,
    file: crontab.file,
    line: line?.entry.line ?? null,
    schedule: line?.entry.schedule ?? was?.schedule,
    user: line?.user ?? null,
    command: line?.command ?? was?.command,
    was: line && was && result === 'changed' ? formerText(was, line) : null,
    next: line ? nextRuns(line.template, clock) : [],
    runtemplate: code,
  };
}

/** A line as it was; its time zone is named where that has changed. */
function formerText({ schedule, command, template }: FormerCrontabLine, line: ZonedLine): string {
  const zone = template.timezone === line.template.timezone ? '' : ` (${template.timezone})`;
  return `${schedule} ${command}${zone}`;
}

/** The next times at which a line would run. */
function nextRuns({ cron, timezone }: ZonedLine['template'], clock: Clock, count = 3): string[] {
  const runs: string[] = [];
  if (cron === null) return runs;
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
  const copies = await store.read((tables) => copiesOf(tables, changes));
  const ofSwitchedOff = changes.flatMap(({ result, crontab, line, was, code }) =>
    result !== 'removed' && result !== 'restored' && line && was && !was.template.active
      ? [`${crontab.file}, line ${line.entry.line}: its run template ${code} is switched off, so it does not run.`]
      : [],
  );
  return [...ofSwitchedOff, ...copies];
}

/** Names new lines that active templates have already: those of another crontab, or of another company. */
async function copiesOf(tables: Tables, changes: readonly LineChange[]): Promise<string[]> {
  const own = new Set(changes.flatMap(({ was }) => was?.template.id ?? []));
  const added = changes.filter(({ result }) => result === 'added');
  const contents = [...new Set(added.flatMap(({ line }) => line?.content ?? []))];
  const sources = await tables.of(CrontabSource).find({
    where: [
      ['crontab_content', 'in', contents],
      ['crontab_line', '!=', null],
    ],
  });
  return added.flatMap(({ crontab, line }) => {
    const other = sources.find(
      ({ record_id, crontab_content }) => crontab_content === line?.content && !own.has(record_id),
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
