import { declarableKey, keyProblem, stableId } from '@horarium/core/plugin';
import type { ComparedLine } from './compared-line.ts';
import type { CrontabEntry } from './crontab.ts';
import { nameOfLine } from './program-name.ts';

/** The fields that a crontab sets of the App of a line, but for its name. */
export interface AppFields {
  readonly executable: string;
  readonly arguments: readonly string[];
  readonly stdin: string | null;
  readonly environment: Readonly<Record<string, { readonly type: 'text' }>>;
}

/** The fields that a crontab sets of the run template of a line, but for its name. */
export interface TemplateFields extends NonNullable<CrontabEntry['more']> {
  readonly interval: 'custom' | 'none';
  readonly cron: string | null;
  /** Left out where the line has no `CRON_TZ`. */
  readonly timezone?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly executor_options: { readonly user?: string; readonly directory: string };
}

/** A line of a crontab, with the App and the run template that it becomes. */
export interface CrontabLine extends ComparedLine {
  /** Whom it runs as; null = the user that native jobs run as. */
  readonly user: string | null;
  readonly entry: CrontabEntry;
  readonly app: AppFields;
  readonly template: TemplateFields;
  /** Whom cron mails: the value of MAILTO, which need be no address; null = no mail. */
  readonly mailto: string | null;
}

export interface LineContext {
  /** The name of the file, for people. */
  readonly file: string;
  /** The user of lines that name none; null = the one that native jobs run as. */
  readonly owner: string | null;
  /** Whether an executor forbids a variable. */
  isForbidden(name: string): boolean;
}

/** What cron sets for each job where its crontab does not: crontab(5). */
export const cronVariables = { SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };

/** Builds an App for a line, its shell with the command as one literal argument, and a run template with its times. */
export function crontabLine(entry: CrontabEntry, context: LineContext): CrontabLine {
  const app = appOf(entry, context);
  return {
    user: entry.user ?? context.owner,
    entry,
    app,
    template: templateOf(entry, app, context),
    mailto: entry.environment['MAILTO']?.trim() || null,
    content: stableId(contentOf(entry)),
    schedule: entry.cron ?? '@reboot',
    command: entry.command,
    program: nameOfLine(context.file, entry.command),
  };
}

/** The note of a template whose line is no longer in the file. */
export function retirementNote(origin: string): string {
  return `Imported from ${origin}, which no longer holds it.`;
}

/** The last part of the path of a file, for people. */
export function baseNameOf(file: string): string {
  return /([^/\\]+)[/\\]*$/.exec(file)?.[1] ?? 'crontab';
}

// Earlier versions knew a line by the code of its template: its content, and a digest of the name of the file with its number among
// equal lines.

/** The number of equal lines in one file that earlier versions recognized. */
const maxEqualLines = 1000;

/** Returns the content of the line from which an earlier version imported a template of this code from a file of this name. */
export function formerContentIn(origin: string): (code: string) => string | undefined {
  const numbers = Array.from({ length: maxEqualLines }, (_, index) => stableId([origin, index + 1]).slice(0, 12));
  const suffixes = new Set(numbers);
  return (code) => {
    const [, content, suffix = ''] = /^cron-([\da-f]{32})-([\da-f]{12})$/.exec(code) ?? [];
    return suffixes.has(suffix) ? content : undefined;
  };
}

function contentOf({ cron, timezone, user, shell, command, stdin, environment }: CrontabEntry): unknown[] {
  const variables = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['crontab', cron, timezone, user, shell, command, stdin, variables];
}

/**
 * Whether the App of a line declares a variable, so that the template can set it; otherwise env(1) sets it in the argv.
 * That is so for reserved variables, such as PATH, and for those that the line names as `${KEY}`: of a
 * declared one that would be a placeholder, and not the shell's.
 */
function isDeclared(key: string, entry: CrontabEntry, { isForbidden }: LineContext): boolean {
  const { shell, command, stdin, environment } = entry;
  const texts = [command, stdin ?? '', shell, ...Object.values(environment)];
  if (keyProblem(declarableKey, key) !== null || isForbidden(key)) return false;
  return !texts.some((text) => text.includes(`{${key}}`));
}

function appOf(entry: CrontabEntry, context: LineContext): AppFields {
  const { shell, command, stdin } = entry;
  const declared = Object.keys(entry.environment).filter((key) => isDeclared(key, entry, context));
  const literal = Object.entries({ ...cronVariables, ...entry.environment }).filter(([key]) => !declared.includes(key));
  return {
    executable: '/usr/bin/env',
    arguments: [...literal.map((pair) => pair.join('=')), shell, '-c', command],
    stdin,
    environment: Object.fromEntries(declared.map((key) => [key, { type: 'text' } as const])),
  };
}

function templateOf(entry: CrontabEntry, app: AppFields, context: LineContext): TemplateFields {
  const { cron, environment } = entry;
  const user = entry.user ?? context.owner;
  return {
    interval: cron === null ? 'none' : 'custom',
    cron,
    ...(entry.timezone !== null && { timezone: entry.timezone }),
    environment: Object.fromEntries(Object.entries(environment).filter(([key]) => key in app.environment)),
    executor_options: {
      ...(user !== null && { user }),
      directory: entry.directory ?? directoryOf(environment['HOME']),
    },
    ...entry.more,
  };
}

/** cron runs jobs in the HOME that the crontab sets, or in that of the user. */
function directoryOf(home: string | undefined): string {
  return home?.startsWith('/') ? home : '~';
}
