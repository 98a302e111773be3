import { jsonSchemaOf } from '../field/json-schema.ts';
import { writeTimes } from '../field/json-times.ts';
import { formatInstant } from '../time/instant.ts';
import type { ActionEvent, Notice, NoticedJob, NoticedTask } from './notice.ts';
import { notice as noticeShape } from './notice-shape.ts';

/** What people are told of a notice. */
export interface NoticeText {
  /** One line. */
  readonly subject: string;
  /** What happened, for whom, why, and where to read more. */
  readonly text: string;
}

/** The texts of a message, in which `{name}` stands for a value of the notice. */
export interface MessageTemplates {
  readonly subject?: string | null | undefined;
  readonly text?: string | null | undefined;
}

const defaultSubject = '[Horarium] {company}: {template} {what}';

const verbs: Readonly<Record<ActionEvent, string>> = {
  on_start: 'has started',
  on_success: 'has succeeded',
  on_failure: 'has failed',
  on_late: 'has succeeded late',
  on_missed: 'was missed',
  on_recovered: 'has recovered',
};

/** Writes what people are told. @param templates replace the default texts. */
export function noticeText(notice: Notice, templates: MessageTemplates = {}): NoticeText {
  const values = noticeValues(notice);
  const subject = fill(templates.subject ?? defaultSubject, values)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const text = templates.text ? fill(templates.text, values) : values.details;
  return { subject, text };
}

/** Replaces `{name}` in a text by the values of a notice; anything else in braces stays as it is. */
export function fillNotice(text: string, notice: Notice): string {
  return fill(text, noticeValues(notice));
}

/** The values that the texts of a message can name. */
export type NoticeValues = Readonly<Record<(typeof noticeValueNames)[number], string>>;

export const noticeValueNames = [
  'event',
  'what',
  'template',
  'template_code',
  'company',
  'company_code',
  'app',
  'reason',
  'time',
  'window_start',
  'window_end',
  'deadline',
  'attempts',
  'exit_code',
  'output',
  'failures',
  'failing_since',
  'count',
  'task_id',
  'job_id',
  'link',
  'details',
] as const;

/** Returns what a notice says as texts, by name; what it does not have is empty. */
export function noticeValues(notice: Notice): NoticeValues {
  const { task, job, digest } = notice;
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  const time = (at: number | null | undefined) => (typeof at === 'number' ? formatInstant(at) : '');
  return {
    event: notice.event,
    what: whatOf(notice),
    template: notice.runtemplate.name,
    template_code: text(notice.runtemplate.code),
    company: notice.company.name,
    company_code: text(notice.company.code),
    app: notice.app.name,
    reason: text(notice.reason),
    time: time(notice.occurred_at),
    window_start: time(task?.window_start),
    window_end: time(task?.window_end),
    deadline: time(task?.deadline),
    attempts: text(task?.attempts ?? job?.attempt),
    exit_code: text(job?.exit_code),
    output: text(notice.output),
    failures: text(notice.failures),
    failing_since: time(notice.failing_since),
    count: text(digest?.count ?? 1),
    task_id: text(task?.id),
    job_id: text(job?.id),
    link: text(notice.link),
    details: detailsOf(notice),
  };
}

const noticeSchema = jsonSchemaOf(noticeShape);

/** Returns a notice as data for machines, with times as RFC 3339. */
export function serializeNotice(notice: Notice): Readonly<Record<string, unknown>> {
  return writeTimes(noticeSchema, notice) as Readonly<Record<string, unknown>>;
}

/** The longest text that values make, in characters: one that repeats them could otherwise be a thousand times as long. */
const maxText = 64 * 1024;

function fill(text: string, values: Readonly<Record<string, string>>): string {
  let left = maxText - text.length;
  return text.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] as string) : whole;
    left -= value.length;
    return left < 0 ? '…' : value;
  });
}

function whatOf({ event, digest, failures }: Notice): string {
  if (digest) return `${verbs[event]} ${digest.count} more ${digest.count === 1 ? 'time' : 'times'}`;
  return event === 'on_recovered' && failures > 1 ? `${verbs[event]} after ${failures} failures` : verbs[event];
}

function detailsOf(notice: Notice): string {
  const { runtemplate, company, app, task, job, output, digest, link } = notice;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Why', notice.reason],
    ['When', formatInstant(notice.occurred_at)],
    ['App', app.name],
    ['Window', task && `${formatInstant(task.window_start)} to ${formatInstant(task.window_end)}`],
    ['Deadline', task && formatInstant(task.deadline)],
    ['Attempts', task && task.attempts > 0 ? String(task.attempts) : null],
    ['Exit code', job && job.exit_code !== null ? String(job.exit_code) : null],
    ['Failing', failingOf(notice)],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(11)}${value}`] : []));
  const written =
    output === null ? [] : ['', 'The end of its output:', ...output.split('\n').map((line) => `  ${line}`)];
  const listed = digest ? ['', ...digestLines(digest)] : [];
  const more = link === null ? [] : ['', `More: ${link}`];
  return [
    `${runtemplate.name} of ${company.name} ${whatOf(notice)}.`,
    '',
    ...lines,
    ...written,
    ...listed,
    ...more,
    '',
  ].join('\n');
}

function failingOf({ event, failures, failing_since }: Notice): string | null {
  if (failing_since === null) return null;
  const since = formatInstant(failing_since);
  if (event === 'on_recovered') return failures > 0 ? `${failures} in a row, since ${since}` : `since ${since}`;
  return failures > 1 ? `${failures} in a row by then, since ${since}` : null;
}

function digestLines({ count, failures }: NonNullable<Notice['digest']>): string[] {
  const left = count - failures.length;
  const heading = left > 0 ? `The newest ${failures.length} of these ${count} failures:` : 'These failures:';
  return [heading, ...failures.map((failure) => `* ${formatInstant(failure.occurred_at)} ${subjectOf(failure)}`)];
}

function subjectOf({ task, job, reason }: { task: NoticedTask | null; job: NoticedJob | null; reason: string | null }) {
  const record = task ? `Task ${task.id}` : `Job ${job?.id}`;
  return reason === null ? record : `${record}: ${reason}`;
}
