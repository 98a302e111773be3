import type { AppInput } from '../../app/app-input.ts';
import { stableId, stableUuid } from '../../field/stable-id.ts';
import { settableKey } from '../../field/structured.ts';
import type { CrontabEntry } from './crontab.ts';

/** What an import says of a run template; company and app are named by their natural keys. */
export interface TemplateInput {
  /** What makes a second import an update. */
  readonly code: string;
  readonly name: string;
  /** The code of the company. */
  readonly company: string;
  readonly app_uuid: string;
  readonly interval: 'custom';
  readonly cron: string;
  readonly timezone?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly executor_options?: Readonly<Record<string, unknown>>;
  readonly note: string;
}

/**
 * The records that do what the lines of a crontab say: for each an App, its shell with the command as one literal
 * argument, and a RunTemplate at those times. Both are recognised by the name of the file, what the line says (time,
 * user, command, stdin, variables) and its number among equal lines of files of that name: moving lines about changes
 * nothing, a changed line is a new one, and equal lines of two files are two, as they are for cron.
 * @param counted how often each line was met in files read before; give the same one for all files of an import.
 */
export function crontabRecords(
  entries: readonly CrontabEntry[],
  { company, file }: { readonly company: string; readonly file: string },
  counted: Map<string, number> = new Map(),
): { apps: AppInput[]; templates: TemplateInput[] } {
  const origin = /([^/\\]+)[/\\]*$/.exec(file)?.[1] ?? 'crontab';
  const records = entries.map((entry) => {
    const said = stableId(whatItSays(entry));
    const place = JSON.stringify([said, origin]);
    const nth = (counted.get(place) ?? 0) + 1;
    counted.set(place, nth);
    const app = appOf(entry, origin, stableUuid([said, origin, nth]));
    const code = `${codeOfLine(said)}${stableId([origin, nth]).slice(0, 12)}`;
    return { app, template: templateOf(entry, origin, { company, code, app }) };
  });
  return { apps: records.map(({ app }) => app), templates: records.map(({ template }) => template) };
}

/** Whether two codes of imported templates are those of equal lines. */
export function sayTheSame(code: string, other: string): boolean {
  const start = codeOfLine('0'.repeat(32)).length;
  return code.slice(0, start) === other.slice(0, start);
}

function codeOfLine(said: string): string {
  return `cron-${said}-`;
}

function whatItSays({ cron, timezone, user, shell, command, stdin, environment }: CrontabEntry): unknown[] {
  const variables = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['crontab', cron, timezone, user, shell, command, stdin, variables];
}

/**
 * Variables that only an App may set are its defaults. That makes them placeholders too; where the line, by chance,
 * holds one of these as text (`${PATH}` is for the shell to replace), env(1) sets them instead.
 */
function appOf(entry: CrontabEntry, origin: string, uuid: string): AppInput {
  const { shell, command, stdin } = entry;
  const own = Object.entries(entry.environment).filter(([key]) => !settableKey.pattern.test(key));
  const text = [command, stdin ?? '', shell, ...Object.values(entry.environment)].join('\n');
  const literal = own.some(([key]) => text.includes(`{${key}}`));
  const assignments = own.map(([key, value]) => `${key}=${value}`);
  return {
    uuid,
    name: `${shorten(origin, 40)}: ${shorten(command, 80)}`,
    executable: literal ? '/usr/bin/env' : shell,
    arguments: literal ? [...assignments, shell, '-c', command] : ['-c', command],
    stdin,
    environment: literal ? {} : Object.fromEntries(own.map(([key, value]) => [key, { type: 'text', default: value }])),
  };
}

function templateOf(
  entry: CrontabEntry,
  origin: string,
  { company, code, app }: { company: string; code: string; app: AppInput },
): TemplateInput {
  const { schedule, cron, timezone, user, environment } = entry;
  return {
    code,
    name: `${shorten(app.name, 80)} (${shorten(schedule, 60)})`,
    company,
    app_uuid: app.uuid,
    interval: 'custom',
    cron,
    ...(timezone === null ? {} : { timezone }),
    environment: Object.fromEntries(Object.entries(environment).filter(([key]) => settableKey.pattern.test(key))),
    ...(user === null ? {} : { executor_options: { user } }),
    note: `Imported from ${origin}.`,
  };
}

/** One line of at most so many characters. */
function shorten(text: string, most: number): string {
  const line = [...text.replace(/[\s\p{Cc}]+/gu, ' ').trim()];
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`;
}
