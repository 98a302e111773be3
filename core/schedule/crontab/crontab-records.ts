import type { AppInput } from '../../app/app-input.ts';
import { settableKey } from '../../resource/environment-map.ts';
import { stableId, stableUuid } from '../../resource/stable-id.ts';
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
 * argument, and a RunTemplate at those times. Both are recognised by what the line says (time, user, command, stdin,
 * variables) and by its number among equal lines, so moving lines about changes nothing, and a changed line is a new one.
 */
export function crontabRecords(
  entries: readonly CrontabEntry[],
  { company, file }: { readonly company: string; readonly file: string },
): { apps: AppInput[]; templates: TemplateInput[] } {
  const seen = new Map<string, number>();
  const origin = /([^/\\]+)[/\\]*$/.exec(file)?.[1] ?? 'crontab';
  const records = entries.map((entry) => {
    const said = whatItSays(entry);
    const id = stableId(said);
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    const app = appOf(entry, origin, stableUuid([...said, nth]));
    return { app, template: templateOf(entry, origin, { company, code: `cron-${stableId([...said, nth])}`, app }) };
  });
  return { apps: records.map(({ app }) => app), templates: records.map(({ template }) => template) };
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
