import { App } from '../../app/app.ts';
import { fits } from '../../field/field-meta.ts';
import { RunTemplate } from '../../template/run-template.ts';
import { zoneNamed } from '../../time/zone.ts';
import { readCommand } from './command.ts';
import { readSchedule } from './schedule.ts';
import { type CrontabVariable, readVariable } from './variable.ts';

/** One line of a crontab that runs something. */
export interface CrontabEntry {
  /** Counted from 1. */
  readonly line: number;
  /** The time fields or the nickname as they were written. */
  readonly schedule: string;
  /** The same for a run template's `cron`. */
  readonly cron: string;
  /** Who runs it; only the system format says so. */
  readonly user: string | null;
  readonly shell: string;
  /** What the shell is given to run. */
  readonly command: string;
  readonly stdin: string | null;
  /** From `CRON_TZ`; null = the service's time zone. */
  readonly timezone: string | null;
  /** The variables set above the line, but for those that cron itself reads or sets: `CRON_TZ` and `LOGNAME`. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CrontabProblem {
  readonly line: number;
  readonly message: string;
  /** False for what is right for cron and merely cannot be scheduled by time: the other lines can be imported. */
  readonly fatal: boolean;
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
      const fatal = !(error instanceof NotByTime);
      const said = (error as Error).message.replace(/\.$/, '');
      problems.push({ line, message: `${file}, line ${line}: ${said}.`, fatal });
    }
  });
  return { entries, problems };
}

class NotByTime extends Error {}

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
  const { words, rest } = takeWords(text, count);
  if (words.length < count) throw new Error('five time fields and a command were expected');
  const cron = words[0] === '@reboot' ? undefined : readSchedule(words);
  const { user, run } = readUser(rest, system);
  const { command, stdin } = readCommand(run);
  if (command.trim() === '') throw new Error('the command is missing');
  if (!fits(App, 'arguments', [command]) || !fits(App, 'stdin', stdin)) throw new Error('the command is too long');
  if (!system && command.startsWith('*')) throw new Error('there are six time fields: a command cannot begin with *');
  if (cron === undefined) throw new NotByTime('@reboot is no time, so the line is not imported');
  const { CRON_TZ, LOGNAME: _set, ...variables } = Object.fromEntries(environment);
  return {
    line,
    schedule: words.join(' '),
    cron,
    user,
    shell: variables['SHELL'] ?? '/bin/sh',
    command,
    stdin,
    timezone: CRON_TZ || null,
    environment: variables,
  };
}

/** In the system format a command that stands where the user should is found by its look. */
function readUser(text: string, system: boolean): { user: string | null; run: string } {
  if (!system) return { user: null, run: text };
  const { words, rest } = takeWords(text, 1);
  const [user] = words;
  if (user === undefined) throw new Error('the user and the command are missing');
  if (!/^[A-Za-z_][\w.@-]{0,63}\$?$/.test(user))
    throw new Error(`“${user}” stands where the user should and is no name`);
  return { user, run: rest };
}

/** The first words of a text and what follows the blanks after them. */
function takeWords(text: string, most: number): { words: string[]; rest: string } {
  const words: string[] = [];
  let rest = text;
  for (let found = /^[^ \t]+/.exec(rest); found && words.length < most; found = /^[^ \t]+/.exec(rest)) {
    words.push(found[0]);
    rest = rest.slice(found[0].length).replace(/^[ \t]+/, '');
  }
  return { words, rest };
}
