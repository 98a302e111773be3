import {
  type Clock,
  Company,
  defineImporter,
  flag,
  formatInstant,
  HorariumError,
  type ImportEntry,
  type ImportPlan,
  type ImportReview,
  type ObsoleteRecord,
  RunTemplate,
  type RunTemplateRow,
  type StoredEntry,
  startAtOrAfter,
  type Tables,
  type TextFile,
  text,
} from '@horarium/core/plugin';
import { readCrontab } from './crontab.ts';
import {
  type CrontabLine,
  type CrontabRows,
  codeMatcher,
  crontabLines,
  haveEqualContent,
  type LineContext,
  originOf,
  recordsOf,
  retirementNote,
} from './crontab-records.ts';
import { differencesOf } from './differences.ts';

/** The records that an import of crontabs saves, with the names of its files. */
interface CrontabPlan extends ImportPlan<CrontabRows> {
  readonly company: string;
  readonly files: readonly string[];
}

/** Imports crontabs: each line becomes an App and a run template. */
export const crontabImporter = defineImporter({
  name: 'crontab',
  summary:
    'Create an app and a run template for each line of crontabs; importing an unchanged file again changes nothing.',
  filesHelp: 'crontabs, or - for standard input; if any line cannot be read, nothing is imported',
  options: {
    company: text(64, { description: 'code of the company that the run templates belong to' }).required(),
    system: flag(false, { description: 'read the format of /etc/crontab, which has a user before each command' }),
    timezone: text(64, { description: "time zone of lines without CRON_TZ; the service's own if it is left out" }),
  },
  read(files, { company, system, timezone }, service): CrontabPlan {
    const { clock } = service;
    const { lines, notes } = readLines(files, system, (name) => service.variableRefusal(name) !== null);
    const zoned = lines.map(
      (line): CrontabLine =>
        timezone === null
          ? line
          : { ...line, template: { ...line.template, timezone: line.template.timezone ?? timezone } },
    );
    return {
      company,
      files: files.map(({ name }) => name),
      entries: zoned.map((line) => entryOf(line, company, clock)),
      notes,
    };
  },
  review,
});

/** Reads all files. @throws HorariumError `invalid` naming every line that cannot be read. */
function readLines(
  files: readonly TextFile[],
  system: boolean,
  isForbidden: LineContext['isForbidden'],
): { lines: CrontabLine[]; notes: string[] } {
  const lines: CrontabLine[] = [];
  const notes: string[] = [];
  const unreadable: string[] = [];
  const context = { occurrences: new Map<string, number>(), isForbidden };
  for (const { name: file, text } of files) {
    const { entries, problems } = readCrontab(text, { system, file });
    for (const { message, fatal } of problems) (fatal ? unreadable : notes).push(message);
    for (const { line, command } of entries)
      if (!system && /^root\s/.test(command))
        notes.push(`${file}, line ${line}: the command begins with “root”; if that is the user, add --system.`);
    notes.push(...differencesOf(entries, file));
    lines.push(...crontabLines(entries, file, context));
  }
  if (unreadable.length === 0) return { lines, notes };
  const errors = unreadable.map((message) => ({ field: 'line', message }));
  throw new HorariumError('invalid', [...unreadable, 'Nothing was imported.'].join('\n'), errors);
}

function entryOf(line: CrontabLine, company: string, clock: Clock): ImportEntry<CrontabRows> {
  const { file, entry, app } = line;
  const { line: lineNumber, schedule, user, command } = entry;
  const declared = Object.keys(app.environment);
  const literal = Object.keys(entry.environment).filter((key) => !declared.includes(key));
  return {
    origin: `${file}, line ${lineNumber}`,
    records: recordsOf(line, company),
    tableRow(
      [
        {
          row: { id },
        },
        template,
      ],
      dryRun,
    ) {
      const { timezone } = template.row;
      const columns = { file, line: lineNumber, schedule, user, timezone, command };
      if (dryRun)
        return { ...columns, declared, through_env: literal, next: nextRuns(line.template.cron, timezone, clock) };
      return { ...columns, app: id, runtemplate: template.row.id };
    },
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

/**
 * Finds the active templates whose lines are no longer in their files, and notes on two kinds of imported lines: those
 * whose template is switched off, and new ones that an active template duplicates.
 */
async function review(
  tables: Tables,
  { company, files, entries }: CrontabPlan,
  stored: readonly StoredEntry<CrontabRows>[],
): Promise<ImportReview> {
  const templates = stored.map(({ records: [, template] }) => template.row);
  const active = await activeTemplates(tables, company);
  const obsolete = obsoleteTemplates(files, templates, active);
  const obsoleteIds = new Set(obsolete.map(({ id }) => id));
  const remaining = active.filter(({ id }) => !obsoleteIds.has(id));
  const indexes = new Map(templates.map(({ id }, index) => [id, index]));
  const notes = templates.flatMap((template, index) => {
    const { id, code } = template;
    const origin = entries[index]?.origin;
    if (!template.active) return [`${origin}: ${nameOf(template)} is switched off, so it does not run.`];
    if (stored[index]?.result !== 'created') return [];
    return remaining.flatMap((other) => {
      const otherIndex = indexes.get(other.id);
      // Of two equal lines of one import only the later one has a note, which names the earlier one.
      if (other.id === id || (otherIndex ?? -1) > index) return [];
      if (!haveEqualContent(other.code ?? '', code ?? '')) return [];
      const name = otherIndex === undefined ? nameOf(other) : entries[otherIndex]?.origin;
      return [`${origin}: has the same content as ${name}; both will run.`];
    });
  });
  return { notes, obsolete };
}

/** The active templates that came from one of the files and are not among those of its current lines, each once. */
function obsoleteTemplates(
  files: readonly string[],
  current: readonly RunTemplateRow[],
  active: readonly ActiveTemplate[],
): ObsoleteRecord[] {
  const currentIds = new Set(current.map(({ id }) => id));
  const obsolete = new Map<number, ObsoleteRecord>();
  for (const file of files) {
    const isFromFile = codeMatcher(originOf(file));
    for (const row of active)
      if (!currentIds.has(row.id) && isFromFile(row.code ?? '')) obsolete.set(row.id, obsoleteOf(row, file));
  }
  return [...obsolete.values()];
}

const activeTemplateColumns = ['id', 'code', 'name', 'cron', 'timezone', 'app_id'] as const;
type ActiveTemplate = Pick<RunTemplateRow, (typeof activeTemplateColumns)[number]>;

async function activeTemplates(tables: Tables, code: string): Promise<ActiveTemplate[]> {
  const [company] = await tables.of(Company).find({ where: [['code', '=', code]] });
  if (!company) return [];
  const where = [
    ['company_id', '=', company.id],
    ['active', '=', true],
  ] as const;
  return tables.of(RunTemplate).find({ where, columns: activeTemplateColumns });
}

function obsoleteOf(row: ActiveTemplate, file: string): ObsoleteRecord {
  const { id, name, cron: schedule, timezone, app_id: app } = row;
  return {
    resource: RunTemplate,
    id,
    file,
    name: nameOf(row),
    retirement: { active: false, note: retirementNote(originOf(file)) },
    tableRow: { file, line: null, schedule, user: null, timezone, command: name, app, runtemplate: id },
  };
}

function nameOf({ id, name }: ActiveTemplate): string {
  return `run template ${id} (${name})`;
}
