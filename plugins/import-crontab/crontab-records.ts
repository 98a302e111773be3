import {
  App,
  type AppRow,
  Company,
  declarableKey,
  type ImportEntry,
  keyProblem,
  RunTemplate,
  type RunTemplateRow,
  stableId,
  stableUuid,
} from '@horarium/core/plugin';
import type { CrontabEntry } from './crontab.ts';

/** The fields that an import sets of the App of a line. */
interface AppFields {
  readonly uuid: string;
  readonly name: string;
  readonly executable: string;
  readonly arguments: readonly string[];
  readonly stdin: string | null;
  readonly environment: Readonly<Record<string, { readonly type: 'text' }>>;
}

/** The fields that an import sets of the run template of a line. */
interface TemplateFields {
  readonly code: string;
  readonly name: string;
  readonly interval: 'custom';
  readonly cron: string;
  readonly timezone?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly executor_options?: Readonly<Record<string, unknown>>;
  readonly note: string;
}

/** A line of a crontab, with the App and the run template that it becomes. */
export interface CrontabLine {
  /** As it was given. */
  readonly file: string;
  readonly entry: CrontabEntry;
  readonly app: AppFields;
  readonly template: TemplateFields;
}

/** What all lines of an import share. */
export interface LineContext {
  /** Counts equal lines. */
  readonly occurrences: Map<string, number>;
  /** Whether an executor forbids a variable. */
  isForbidden(name: string): boolean;
}

/**
 * Builds an App for each line, its shell with the command as one literal argument, and a run template with its times.
 * Both are identified by the name of the file, the content of the line (times, user, command, stdin, variables) and its
 * number among equal lines of files of that name. So moving lines changes nothing, an edited line is a new one, and
 * equal lines of two files are two, as they are for cron.
 */
export function crontabLines(
  entries: readonly CrontabEntry[],
  file: string,
  { occurrences, isForbidden }: LineContext,
): CrontabLine[] {
  const origin = originOf(file);
  return entries.map((entry) => {
    const content = stableId(contentOf(entry));
    const key = JSON.stringify([content, origin]);
    const number = (occurrences.get(key) ?? 0) + 1;
    occurrences.set(key, number);
    const code = `${prefixOf(content)}${codeSuffix(origin, number)}`;
    const app = appOf(entry, origin, stableUuid([content, origin, number]), isForbidden);
    return { file, entry, app, template: templateOf(entry, origin, code, app) };
  });
}

/** The rows of the records of a line. */
export type CrontabRows = [app: AppRow, template: RunTemplateRow];

/** The records that an import saves for a line. A template that an import retired is active again with its line. */
export function recordsOf({ file, app, template }: CrontabLine, company: string): ImportEntry<CrontabRows>['records'] {
  const retired = retirementNote(originOf(file));
  return [
    { resource: App, fields: { ...app } },
    {
      resource: RunTemplate,
      fields: { ...template },
      references: {
        company_id: { resource: Company, key: { code: company } },
        app_id: { resource: App, key: { uuid: app.uuid } },
      },
      merge: ({ note }) => (note === retired ? { active: true } : {}),
    },
  ];
}

/** The note that an import writes into a template when it retires it, because its line is no longer in the file. */
export function retirementNote(origin: string): string {
  return `Imported from ${origin}, which no longer holds it.`;
}

/** The last part of a file's path, so that a file that was moved counts as the same. */
export function originOf(file: string): string {
  return /([^/\\]+)[/\\]*$/.exec(file)?.[1] ?? 'crontab';
}

/** Whether the templates with these codes were imported from lines of equal content. */
export function haveEqualContent(code: string, other: string): boolean {
  return code.startsWith('cron-') && contentIn(code) === contentIn(other);
}

/** The number of equal lines in one file that are still recognized as imported from it. */
const maxEqualLines = 1000;

/** Returns a predicate of codes: whether a template was imported from this file, whatever the content of its line. */
export function codeMatcher(origin: string): (code: string) => boolean {
  const suffixes = new Set(Array.from({ length: maxEqualLines }, (_, index) => codeSuffix(origin, index + 1)));
  return (code) => /^cron-[\da-f]{32}-[\da-f]{12}$/.test(code) && suffixes.has(code.slice(prefixLength));
}

function prefixOf(content: string): string {
  return `cron-${content}-`;
}

const prefixLength = prefixOf('0'.repeat(32)).length;

function contentIn(code: string): string {
  return code.slice(0, prefixLength);
}

function codeSuffix(origin: string, number: number): string {
  return stableId([origin, number]).slice(0, 12);
}

function contentOf({ cron, timezone, user, shell, command, stdin, environment }: CrontabEntry): unknown[] {
  const variables = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['crontab', cron, timezone, user, shell, command, stdin, variables];
}

/**
 * Whether the App of a line declares a variable, so that the template can set it; otherwise env(1) sets it in the argv.
 * That is so for variables that nobody can declare, such as PATH, and for those that the line names as `${KEY}`: of a
 * declared one that would be a placeholder, and not the shell's.
 */
function isDeclared(key: string, entry: CrontabEntry, isForbidden: LineContext['isForbidden']): boolean {
  const { shell, command, stdin, environment } = entry;
  const texts = [command, stdin ?? '', shell, ...Object.values(environment)];
  if (keyProblem(declarableKey, key) !== null || isForbidden(key)) return false;
  return !texts.some((text) => text.includes(`{${key}}`));
}

function appOf(entry: CrontabEntry, origin: string, uuid: string, isForbidden: LineContext['isForbidden']): AppFields {
  const { shell, command, stdin } = entry;
  const keys = Object.keys(entry.environment);
  const declared = keys.filter((key) => isDeclared(key, entry, isForbidden));
  const assignments = keys.filter((key) => !declared.includes(key)).map((key) => `${key}=${entry.environment[key]}`);
  const run = [shell, '-c', command];
  const [executable = shell, ...args] = assignments.length > 0 ? ['/usr/bin/env', ...assignments, ...run] : run;
  return {
    uuid,
    name: `${shorten(origin, 40)}: ${shorten(command, 80)}`,
    executable,
    arguments: args,
    stdin,
    environment: Object.fromEntries(declared.map((key) => [key, { type: 'text' } as const])),
  };
}

function templateOf(entry: CrontabEntry, origin: string, code: string, app: AppFields): TemplateFields {
  const { schedule, cron, timezone, user, environment } = entry;
  return {
    code,
    name: `${shorten(app.name, 80)} (${shorten(schedule, 60)})`,
    interval: 'custom',
    cron,
    ...(timezone === null ? {} : { timezone }),
    environment: Object.fromEntries(Object.entries(environment).filter(([key]) => key in app.environment)),
    ...(user === null ? {} : { executor_options: { user } }),
    note: `Imported from ${origin}.`,
  };
}

/** One line of at most so many characters. */
function shorten(text: string, max: number): string {
  const line = [...text.replace(/[\s\p{Cc}]+/gu, ' ').trim()];
  return line.length <= max ? line.join('') : `${line.slice(0, max - 1).join('')}…`;
}
