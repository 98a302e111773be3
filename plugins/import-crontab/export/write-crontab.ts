import { isDeepStrictEqual } from 'node:util';
import { type CrontabEntry, readCrontab } from '../lines/crontab.ts';
import { cronVariables } from '../lines/crontab-records.ts';
import { type ExportedLine, type ExportedTemplate, exportedLine } from './exported-line.ts';

export interface WrittenCrontab {
  readonly text: string;
  /** Why templates are left out, a sentence for each or for all of one crontab. */
  readonly notes: readonly string[];
}

interface WriteOptions {
  /** Whether each line names a user, as in /etc/crontab. */
  readonly system: boolean;
  /** The user of lines whose templates name none. */
  readonly user: string;
  /** The time zone of the machine whose cron is to run it. */
  readonly timezone: string;
}

/** The characters of a command that Debian's cron reads. */
const maxCommand = 998;

type Variables = ReadonlyMap<string, string>;

/** What a template is to be in a crontab. */
interface Line {
  readonly template: ExportedTemplate['template'];
  readonly line: ExportedLine;
}

/** The lines of one crontab as they are written, after those of others or alone. */
interface Section {
  readonly text: readonly string[];
  readonly notes: readonly string[];
  /** Those that are set once it is written. */
  readonly variables: Variables;
}

/**
 * Writes a crontab of run templates. Each line is read back, and left out if it would say anything else: no value may get lost in
 * its quotes. The lines of one crontab are written together or not at all, so that they can be written alone.
 */
export function writeCrontab(templates: readonly ExportedTemplate[], options: WriteOptions): WrittenCrontab {
  const text: string[] = [];
  const notes: string[] = [];
  let variables: Variables = new Map();
  const sections = [...Map.groupBy(templates, ({ crontab }) => crontab)].map(([crontab, exported]) => {
    const lines = exported.map((each) => ({ template: each.template, line: exportedLine(each, options.timezone) }));
    return { crontab, lines, alone: sectionOf(lines, new Map(), options) };
  });
  // What needs few variables comes first, and before it what cannot be written alone, because it comes from no crontab.
  const rank = ({ crontab, alone }: (typeof sections)[number]) => (crontab === null ? -1 : lastingOf(alone.variables));
  for (const { crontab, lines, alone } of sections.sort((one, other) => rank(one) - rank(other))) {
    const section = sectionOf(lines, variables, options);
    if (crontab !== null && section.notes.length > alone.notes.length) {
      notes.push(...alone.notes, `${leftOut(lines.length - alone.notes.length, crontab)} --crontab ${crontab}.`);
      continue;
    }
    text.push(...section.text);
    notes.push(...section.notes);
    variables = section.variables;
  }
  if (variables.has('CRON_TZ'))
    notes.push('CRON_TZ is known to cronie only: the cron of Debian runs these lines by the time of the machine.');
  return { text: text.map((each) => `${each}\n`).join(''), notes };
}

/** Counts the variables that later lines cannot be without: none can be unset, and some have a value that is as good. */
function lastingOf(variables: Variables): number {
  return [...variables.keys()].filter((name) => !(name in cronVariables) && name !== 'CRON_TZ').length;
}

function leftOut(count: number, crontab: string): string {
  const lines = count === 1 ? `1 line of ${crontab} is` : `${count} lines of ${crontab} are`;
  return `${lines} left out, because variables of others that are set before cannot be unset: write a crontab of its own with`;
}

/** Writes the lines of one crontab, those first that need no variables. @param before the variables that are set already. */
function sectionOf(lines: readonly Line[], before: Variables, options: WriteOptions): Section {
  const written: string[] = [];
  const notes: string[] = [];
  let variables = before;
  const isBare = ({ line }: Line) =>
    !('refusal' in line) && isDeepStrictEqual(complete(line.environment), cronVariables) && line.timezone === null;
  for (const { template, line } of [...lines.filter(isBare), ...lines.filter((each) => !isBare(each))]) {
    const leave = (reason: string) => notes.push(`${template.code ?? template.name} is left out: ${reason}.`);
    if ('refusal' in line) {
      leave(line.refusal);
      continue;
    }
    const entry = { ...line, user: options.system ? (line.user ?? options.user) : null };
    if (line.command.length > maxCommand) {
      leave(`cron reads no more than ${maxCommand} characters of a command`);
      continue;
    }
    const wanted = variablesOf(entry, variables);
    const text = lineOf(entry);
    if (!saysSo(entry, wanted, text, options.system)) {
      leave('a crontab cannot say what it runs, or not after the lines before it');
      continue;
    }
    const changed = [...wanted].filter(([name, value]) => variables.get(name) !== value);
    written.push(
      `# ${comment(template.code)}${comment(template.name)}`.replace(/: $/, ''),
      ...assignments(changed),
      text,
    );
    variables = wanted;
  }
  return { text: written, notes, variables };
}

/** Returns the variables that are to be set above a line, those that are set already among them, which cannot be unset. */
function variablesOf(
  { environment, timezone, shell }: Omit<CrontabEntry, 'line' | 'schedule'>,
  before: Variables,
): Variables {
  const defaults = new Map(Object.entries(cronVariables));
  const own = new Map(Object.entries(environment));
  if (own.get('SHELL') !== shell) own.set('SHELL', shell);
  // What cron sets anyway is written only where something else was set before.
  for (const [name, value] of defaults) if (own.get(name) === value && !before.has(name)) own.delete(name);
  if (timezone !== null) own.set('CRON_TZ', timezone);
  else if (before.has('CRON_TZ')) own.set('CRON_TZ', '');
  return new Map([...before, ...own]);
}

function assignments(variables: Iterable<readonly [string, string]>): string[] {
  return [...variables].map(([name, value]) => `${name}=${quotedValue(value)}`);
}

function quotedValue(value: string): string {
  if (value !== '' && value === value.trim() && !/^["']/.test(value)) return value;
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}

function lineOf({ cron, user, command, stdin }: Omit<CrontabEntry, 'line' | 'schedule'>): string {
  const times = cron === null ? '@reboot' : cron.replace(/ \+(\S+)$/, ' $1');
  const input = stdin === null ? '' : `%${stdin.replace(/\n$/, '').replaceAll('%', '\\%').replaceAll('\n', '%')}`;
  // A backslash stands for itself unless one, a percent sign or the end follows.
  const escaped = command.replace(/\\(?=[\\%]|$)/g, '\\\\').replaceAll('%', '\\%');
  return [times, ...(user === null ? [] : [user]), `${escaped}${input}`].join(' ');
}

/** Whether a line is read as what it was written for, after the variables above it. */
function saysSo(
  entry: Omit<CrontabEntry, 'line' | 'schedule'>,
  variables: Variables,
  text: string,
  system: boolean,
): boolean {
  const above = assignments(variables);
  if ([...above, text].some((each) => /[\n\r\0]/.test(each))) return false;
  const { entries, problems } = readCrontab([...above, text].join('\n'), { system, file: '' });
  const [read] = entries;
  if (!read || problems.length > 0) return false;
  const { line: _line, schedule: _schedule, environment, ...others } = read;
  const { environment: wanted, ...expected } = entry;
  return isDeepStrictEqual(others, expected) && isDeepStrictEqual(complete(environment), complete(wanted));
}

function complete(environment: Readonly<Record<string, string>>): Record<string, string> {
  return { ...cronVariables, ...environment };
}

/** The code or the name of a template in a comment, which is one line. */
function comment(text: string | null): string {
  return text === null ? '' : `${text.replace(/[\s\p{Cc}]+/gu, ' ')}: `;
}
