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
  type NamedText,
  type ObsoleteRecord,
  RunTemplate,
  type RunTemplateRow,
  type StoredEntry,
  startAtOrAfter,
  type Tables,
  text,
} from '@horarium/core/plugin';
import { readCrontab } from './crontab.ts';
import {
  areEqualLines,
  type CrontabLine,
  type CrontabRows,
  codesFrom,
  crontabLines,
  originOf,
  recordsOf,
  retiredNote,
} from './crontab-records.ts';

/** What an import of crontabs saves, and the names of its files. */
interface CrontabPlan extends ImportPlan<CrontabRows> {
  readonly company: string;
  readonly files: readonly string[];
}

/** Imports crontabs: each line as an App and a run template. */
export const crontabImporter = defineImporter({
  name: 'crontab',
  summary:
    'Make an app and a run template of each line of crontabs; a second import of a file of that name changes nothing.',
  files: 'crontabs, - for the input; a file with a line that cannot be read imports nothing',
  options: {
    company: text(64, { description: 'code of the company that the run templates belong to' }).required(),
    system: flag(false, { description: 'the format of /etc/crontab: a user stands before the command' }),
    timezone: text(64, { description: "time zone of lines without CRON_TZ; the service's own when left out" }),
  },
  read(files, { company, system, timezone }, { clock }): CrontabPlan {
    const { lines, notes } = readLines(files, system);
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

/** @throws HorariumError `invalid` naming every line that cannot be read. */
function readLines(files: readonly NamedText[], system: boolean): { lines: CrontabLine[]; notes: string[] } {
  const lines: CrontabLine[] = [];
  const notes: string[] = [];
  const wrong: string[] = [];
  const counted = new Map<string, number>();
  for (const { name: file, text } of files) {
    const { entries, problems } = readCrontab(text, { system, file });
    for (const { message, fatal } of problems) (fatal ? wrong : notes).push(message);
    for (const { line, command } of entries)
      if (!system && /^root\s/.test(command))
        notes.push(`${file}, line ${line}: the command is “root …”; where root is the user, add --system.`);
    lines.push(...crontabLines(entries, file, counted));
  }
  if (wrong.length === 0) return { lines, notes };
  const errors = wrong.map((message) => ({ field: 'line', message }));
  throw new HorariumError('invalid', [...wrong, 'Nothing was imported.'].join('\n'), errors);
}

function entryOf(line: CrontabLine, company: string, clock: Clock): ImportEntry<CrontabRows> {
  const { file, entry } = line;
  const { line: number, schedule, user, command } = entry;
  return {
    origin: `${file}, line ${number}`,
    records: recordsOf(line, company),
    describe([app, template], dryRun) {
      const { timezone } = template.row;
      const columns = { file, line: number, schedule, user, timezone, command };
      if (dryRun) return { ...columns, next: nextRuns(line.template.cron, timezone, clock) };
      return { ...columns, app: app.row.id, runtemplate: template.row.id };
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

/** Finds active templates of the files whose lines are gone, new lines that run twice, and lines that are switched off. */
async function review(
  tables: Tables,
  { company, files, entries }: CrontabPlan,
  stored: readonly StoredEntry<CrontabRows>[],
): Promise<ImportReview> {
  const templates = stored.map(({ records: [, template] }) => template.row);
  const active = await activeTemplates(tables, company);
  const current = new Set(templates.map(({ id }) => id));
  const obsolete = files.flatMap((file) => {
    const isFrom = codesFrom(originOf(file));
    return active.filter(({ id, code }) => !current.has(id) && isFrom(code ?? '')).map((row) => obsoleteOf(row, file));
  });
  const gone = new Set(obsolete.map(({ id }) => id));
  const indexes = new Map(templates.map(({ id }, index) => [id, index]));
  const notes = templates.flatMap((template, index) => {
    const { id, code } = template;
    const origin = entries[index]?.origin;
    if (!template.active) return [`${origin}: ${nameOf(template)} is switched off, so it does not run.`];
    if (stored[index]?.result !== 'created') return [];
    return active.flatMap((other) => {
      const otherIndex = indexes.get(other.id);
      // Of two equal lines of one import the later one names the earlier one.
      if (other.id === id || gone.has(other.id) || (otherIndex ?? -1) > index) return [];
      if (!areEqualLines(other.code ?? '', code ?? '')) return [];
      const name = otherIndex === undefined ? nameOf(other) : entries[otherIndex]?.origin;
      return [`${origin}: says the same as ${name}; both will run.`];
    });
  });
  return { notes, obsolete: [...new Map(obsolete.map((each) => [each.id, each])).values()] };
}

const columns = ['id', 'code', 'name', 'cron', 'timezone', 'app_id'] as const;
type Template = Pick<RunTemplateRow, (typeof columns)[number]>;

async function activeTemplates(tables: Tables, code: string): Promise<Template[]> {
  const [company] = await tables.of(Company).find({ where: [['code', '=', code]] });
  if (!company) return [];
  const where = [
    ['company_id', '=', company.id],
    ['active', '=', true],
  ] as const;
  return tables.of(RunTemplate).find({ where, columns });
}

function obsoleteOf(row: Template, file: string): ObsoleteRecord {
  const { id, name, cron: schedule, timezone, app_id: app } = row;
  return {
    resource: RunTemplate,
    id,
    file,
    name: nameOf(row),
    retirement: { active: false, note: retiredNote(originOf(file)) },
    columns: { file, line: null, schedule, user: null, timezone, command: name, app, runtemplate: id },
  };
}

function nameOf({ id, name }: Template): string {
  return `run template ${id} (${name})`;
}
