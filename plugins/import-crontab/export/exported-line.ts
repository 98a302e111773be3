import { type AppRow, type CompanyRow, canonicalZone, type RunTemplateRow } from '@horarium/core/plugin';
import type { CrontabEntry } from '../lines/crontab.ts';
import { cronVariables } from '../lines/crontab-records.ts';
import { quoted } from '../lines/shell-quote.ts';

/** A run template with what a line of a crontab says of it. */
export interface ExportedTemplate {
  readonly template: RunTemplateRow;
  readonly app: AppRow;
  readonly company: CompanyRow;
  /** The crontab that it comes from; null = none. */
  readonly crontab: string | null;
  /** Whether it runs after boots (`@reboot`). */
  readonly atBoot: boolean;
}

/** What a line is to say, as it would be read; or why cron cannot run the template so. */
export type ExportedLine = Omit<CrontabEntry, 'line' | 'schedule'> | { readonly refusal: string };

/** The patterns of the intervals that have one. */
const patterns: Readonly<Partial<Record<RunTemplateRow['interval'], string>>> = {
  minutely: '* * * * *',
  hourly: '@hourly',
  daily: '@daily',
  weekly: '0 0 * * 1',
  monthly: '@monthly',
  yearly: '@yearly',
};

/** @param timezone that of the machine, by which cron runs lines without `CRON_TZ`. */
export function exportedLine(exported: ExportedTemplate, timezone: string): ExportedLine {
  const { template, app, atBoot } = exported;
  const refusal = refusalOf(exported);
  if (refusal !== null) return { refusal };
  const cron = atBoot ? null : template.interval === 'custom' ? template.cron : patterns[template.interval];
  if (cron === undefined) return { refusal: 'it has no times' };
  const { user = null, directory = null } = template.executor_options as Readonly<Record<string, string | null>>;
  const run = commandOf(template, app);
  // cron runs all jobs in HOME.
  const isInHome = directory === null || directory === '~' || directory === run.environment['HOME'];
  return {
    cron,
    user,
    stdin: app.stdin,
    timezone: canonicalZone(template.timezone) === canonicalZone(timezone) ? null : template.timezone,
    ...run,
    command: isInHome ? run.command : `cd ${quoted(directory)} || exit; ${run.command}`,
  };
}

/** Returns why cron would not run a template as it runs here; null = it would. */
function refusalOf({ template, app, company }: ExportedTemplate): string | null {
  const { executor, calendar_id, delay, jitter, starts_at, ends_at, credentials } = template;
  if (executor !== null && executor !== 'native') return `the executor ${executor} runs it`;
  if (calendar_id !== null) return 'it follows a calendar';
  if (delay > 0 || jitter > 0) return 'it has a delay or a jitter';
  if (starts_at !== null || ends_at !== null) return 'it runs for some time only';
  if (credentials.length > 0) return 'it has credentials';
  const secret = Object.entries(app.environment).find(([, { type }]) => type === 'password' || type === 'secret');
  if (secret) return `its variable ${secret[0]} is secret`;
  const values = Object.values(template.environment as Readonly<Record<string, string>>);
  const texts = [app.executable, ...app.arguments, app.stdin ?? '', ...values];
  const named = Object.keys(app.environment).find((key) => texts.some((text) => text.includes(`{${key}}`)));
  if (named !== undefined) return `the variable ${named} is put into its arguments, its input or another variable`;
  const ofCompany = Object.keys(app.environment).find(
    (key) => key in company.environment && !(key in template.environment),
  );
  return ofCompany === undefined ? null : `its variable ${ofCompany} has the value of the company`;
}

type Command = Pick<CrontabEntry, 'shell' | 'command' | 'environment'>;

/** Returns the command that a crontab had, with its variables; or what a shell runs to start any other program. */
function commandOf({ environment: values }: RunTemplateRow, app: AppRow): Command {
  const environment = { ...defaultsOf(app), ...(values as Readonly<Record<string, string>>) };
  const words = app.executable === '/usr/bin/env' ? app.arguments : [app.executable, ...app.arguments];
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const literal = Object.fromEntries(words.slice(0, start).map((word) => word.split(/=(.*)/s).slice(0, 2)));
  const [shell = '', option, command = '', ...others] = words.slice(start);
  if (shell.startsWith('/') && option === '-c' && others.length === 0)
    return { shell, command, environment: { ...literal, ...environment } };
  const assignments = Object.entries(environment).map(([key, value]) => `${key}=${quoted(value)}`);
  const run = [...assignments, ...[app.executable, ...app.arguments].map(quoted)].join(' ');
  return { shell: cronVariables.SHELL, command: run, environment: {} };
}

function defaultsOf(app: AppRow): Record<string, string> {
  const defaults = Object.entries(app.environment).filter(([, each]) => each.default != null && each.default !== '');
  return Object.fromEntries(defaults.map(([key, each]) => [key, String(each.default)]));
}
