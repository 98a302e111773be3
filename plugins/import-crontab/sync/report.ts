import {
  type Actor,
  type Clock,
  formatInstant,
  type ImportReport,
  isAdmin,
  type PlainRecord,
  RunTemplate,
  startAtOrAfter,
  type Tables,
} from '@horarium/core/plugin';
import { CrontabSource } from './crontab-source.ts';
import type { FormerCrontabLine, LineChange } from './line-change.ts';
import type { SyncRequest } from './plan-sync.ts';
import { cronZoneNotes, zoneNotes } from './zone-notes.ts';
import type { ZonedLine } from './zoned-crontab.ts';

/** A sync, and who does it. */
interface ReportedSync {
  readonly actor: Actor;
  readonly request: SyncRequest;
}

/**
 * Describes what a sync of crontabs changes: a row for each line that is not as it was, and remarks.
 * @param tables those before the sync.
 */
export async function reportOn(
  clock: Clock,
  tables: Tables,
  changes: readonly LineChange[],
  { actor, request }: ReportedSync,
): Promise<ImportReport> {
  const changed = changes.filter(({ result }) => result !== 'unchanged');
  const copies = await copiesOf(tables, changes, { actor, request });
  const notes = [...zoneNotes(changed, request), ...cronZoneNotes(changed), ...inactiveNotes(changes), ...copies];
  return { rows: changed.map((change) => rowOf(clock, change)), notes };
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

/** Names lines whose templates are switched off. */
function inactiveNotes(changes: readonly LineChange[]): string[] {
  return changes.flatMap(({ result, crontab, line, was, code }) =>
    result !== 'removed' && result !== 'restored' && line && was && !was.template.active
      ? [`${crontab.file}, line ${line.entry.line}: its run template ${code} is switched off, so it does not run.`]
      : [],
  );
}

/**
 * Names new lines that active templates have already: those of another crontab, and for admins, who see all, those of another
 * company.
 */
async function copiesOf(
  tables: Tables,
  changes: readonly LineChange[],
  { actor, request: { companyId } }: ReportedSync,
): Promise<string[]> {
  const own = new Set(changes.flatMap(({ was }) => was?.template.id ?? []));
  const added = changes.filter(({ result }) => result === 'added');
  const contents = [...new Set(added.flatMap(({ line }) => line?.content ?? []))];
  const sources = await tables.of(CrontabSource).find({
    where: [
      ['crontab_content', 'in', contents],
      ['crontab_line', '!=', null],
    ],
  });
  const ids = sources.map(({ record_id }) => record_id);
  const ofCompany = isAdmin(actor) ? [] : ([['company_id', '=', companyId]] as const);
  const templates = await tables.of(RunTemplate).find({ where: [['id', 'in', ids], ...ofCompany], columns: ['id'] });
  const seen = new Set(templates.map(({ id }) => id));
  return added.flatMap(({ crontab, line }) => {
    const other = sources.find(
      ({ record_id, crontab_content }) =>
        crontab_content === line?.content && !own.has(record_id) && seen.has(record_id),
    );
    if (!line || !other) return [];
    return [
      `${crontab.file}, line ${line.entry.line}: ${other.crontab}, line ${other.crontab_line}, is the same; both will run.`,
    ];
  });
}

const results = ['added', 'changed', 'restored', 'removed', 'unchanged'] as const;

/** Counts what became of lines: `2 added, 1 removed, 40 unchanged.` */
export function summaryOf(changes: readonly LineChange[]): string {
  const counts = results
    .map((result) => ({ result, count: changes.filter((change) => change.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`);
  return counts.length === 0 ? 'The files hold no line that runs.' : `${counts.join(', ')}.`;
}
