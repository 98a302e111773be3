import { App, environmentKey, fits, RunTemplate, type RunTemplateInput, zoneNamed } from '@horarium/core/plugin';
import { readSchedule } from './schedule.ts';

/** A line of a crontab that runs a command. */
export interface CrontabEntry {
  /** Counted from 1. */
  readonly line: number;
  /** The time fields or the nickname as they were written. */
  readonly schedule: string;
  /** The same times as a run template's `cron` has them; null = it runs once after each boot (`@reboot`). */
  readonly cron: string | null;
  /** The user it runs as; only the system format names one. */
  readonly user: string | null;
  readonly shell: string;
  /** The text that the shell runs. */
  readonly command: string;
  readonly stdin: string | null;
  /** From `CRON_TZ`; null = the time zone of the crontab. */
  readonly timezone: string | null;
  /** The variables set above the line, except those that cron itself reads or sets: `CRON_TZ` and `LOGNAME`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it runs; by default in HOME. */
  readonly directory?: string;
  /** Further fields of its run template. */
  readonly more?: Pick<RunTemplateInput, 'jitter' | 'catch_up' | 'timeout'>;
}

export interface CrontabProblem {
  readonly line: number;
  readonly message: string;
}

interface Reading {
  readonly system: boolean;
  readonly environment: Map<string, string>;
}

/**
 * Reads a crontab as Debian's cron does: the system format, with a user before the command, or that of one user.
 * Every line that cannot be read is a problem that names it. More tolerant than cron in two points: the last line needs
 * no line break, and lines may end as Windows ends them.
 */
export function readCrontab(
  text: string,
  { system, file }: { readonly system: boolean; readonly file: string },
): { entries: CrontabEntry[]; problems: CrontabProblem[] } {
  const reading: Reading = { system, environment: new Map() };
  const entries: CrontabEntry[] = [];
  const problems: CrontabProblem[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = index + 1;
    try {
      const entry = readLine(raw.replace(/^[ \t]+/, ''), line, reading);
      if (entry) entries.push(entry);
    } catch (error) {
      const reason = (error as Error).message.replace(/\.$/, '');
      problems.push({ line, message: `${file}, line ${line}: ${reason}.` });
    }
  });
  return { entries, problems };
}

function readLine(text: string, line: number, reading: Reading): CrontabEntry | undefined {
  if (text === '' || text.startsWith('#')) return undefined;
  if (text.includes('\0')) throw new Error('a NUL character cannot be passed to a program');
  const variable = readVariable(text);
  if (!variable) return readEntry(text, line, reading);
  setVariable(variable, reading.environment);
  return undefined;
}

function setVariable({ name, value }: CrontabVariable, environment: Map<string, string>): void {
  if (!fits(RunTemplate, 'environment', { VALUE: value })) throw new Error(`the value of ${name} is too long`);
  if (name === 'SHELL' && !(value.startsWith('/') && fits(App, 'executable', value)))
    throw new Error(`SHELL must be an absolute path, not “${value}”`);
  if (name === 'CRON_TZ' && value !== '') zoneNamed(value);
  environment.set(name, value);
}

function readEntry(text: string, line: number, { system, environment }: Reading): CrontabEntry {
  const count = text.startsWith('@') ? 1 : 5;
  const { columns: timeFields, rest } = splitColumns(text, count);
  if (timeFields.length < count) throw new Error('five time fields and a command were expected');
  const cron = timeFields[0] === '@reboot' ? null : readSchedule(timeFields);
  const { user, run } = readUser(rest, system);
  const { command, stdin } = readCommand(run);
  if (command.trim() === '') throw new Error('the command is missing');
  if (!fits(App, 'arguments', [command]) || !fits(App, 'stdin', stdin)) throw new Error('the command is too long');
  if (!system && command.startsWith('*')) throw new Error('there are six time fields: a command cannot begin with *');
  const { CRON_TZ, LOGNAME: _ignored, ...variables } = Object.fromEntries(environment);
  return {
    line,
    schedule: timeFields.join(' '),
    cron,
    user,
    shell: variables['SHELL'] ?? '/bin/sh',
    command,
    stdin,
    timezone: CRON_TZ || null,
    environment: variables,
  };
}

/** @throws Error where a command stands in place of the user, as in a crontab of one user. */
function readUser(text: string, system: boolean): { user: string | null; run: string } {
  if (!system) return { user: null, run: text };
  const {
    columns: [user],
    rest,
  } = splitColumns(text, 1);
  if (user === undefined) throw new Error('the user and the command are missing');
  if (!/^[A-Za-z_][\w.@-]{0,63}\$?$/.test(user))
    throw new Error(`“${user}” is where the user name should be, and is not a user name`);
  return { user, run: rest };
}

/** Splits up to so many columns off a line, which blanks separate. @returns them and the rest of the line. */
function splitColumns(text: string, max: number): { columns: string[]; rest: string } {
  const columns: string[] = [];
  let rest = text;
  for (let found = /^[^ \t]+/.exec(rest); found && columns.length < max; found = /^[^ \t]+/.exec(rest)) {
    columns.push(found[0]);
    rest = rest.slice(found[0].length).replace(/^[ \t]+/, '');
  }
  return { columns, rest };
}

interface CrontabVariable {
  readonly name: string;
  readonly value: string;
}

// name = value, either of them in matching quotes; a quoted name may hold no =.
const assignment =
  /^(?:(["'])(?<quoted>(?:(?!\1)[^=])*)\1|(?<bare>[^\s=]+))\s*=\s*(?:(["'])(?<text>(?:(?!\4).)*)\4\s*|(?<rest>[^\s"'].*))$/s;
const brokenAssignment = /^(?:(["'])[^=]*?\1|[A-Za-z_]\w*)\s*=(?<value>.*)$/s;

/**
 * Reads a line that sets a variable, by the rules of crontab(5): blanks around `=` are ignored, quotes preserve blanks
 * at the ends and are the only way to write an empty value, and nothing in the value is expanded.
 * @returns undefined for a line that sets none.
 * @throws Error that says what is wrong with a line that was meant to set one.
 */
function readVariable(line: string): CrontabVariable | undefined {
  const found = assignment.exec(line)?.groups;
  if (!found) {
    const meant = brokenAssignment.exec(line)?.groups?.['value']?.trim();
    if (meant === undefined) return undefined;
    throw new Error(meant === '' ? 'an empty value must be written ""' : 'the quotes around the value do not match');
  }
  const name = (found['quoted'] ?? found['bare']) as string;
  if (!environmentKey.pattern.test(name)) throw new Error(`“${name}” is not ${environmentKey.description}`);
  return { name, value: found['text'] ?? (found['rest'] as string).trimEnd() };
}

/**
 * Splits the end of a crontab line at its first unescaped `%` into the command and its stdin, in which further `%` are
 * line breaks. `\%` is a percent sign; in the command, as in Debian's cron, `\\` is one backslash; any other backslash
 * stays.
 * @returns null as stdin where there is no `%`; otherwise text that ends with a line break, unless it is empty.
 */
export function readCommand(text: string): { command: string; stdin: string | null } {
  let at = 0;
  let command = '';
  for (; at < text.length && text[at] !== '%'; at += 1) {
    if (text[at] !== '\\' || at + 1 === text.length) command += text[at];
    else {
      at += 1;
      command += text[at] === '%' || text[at] === '\\' ? text[at] : `\\${text[at]}`;
    }
  }
  return { command, stdin: at < text.length ? readStdin(text.slice(at + 1)) : null };
}

function readStdin(text: string): string {
  const read = text.replace(/\\?%/g, (found) => (found === '%' ? '\n' : '%'));
  return read === '' || read.endsWith('\n') ? read : `${read}\n`;
}
