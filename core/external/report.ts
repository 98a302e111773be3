import type { FieldError } from '../errors.ts';
import type { Field, RowOf } from '../field/field-meta.ts';
import { fieldTable } from '../field/field-table.ts';
import { integer, text } from '../field/fields.ts';
import { optionalJson } from '../field/structured.ts';
import { readField } from '../records/input.ts';
import { reportedFiles } from './reported-files.ts';

const mostText = 16 * 1024 * 1024;

/** What may be reported of an attempt that runs outside: how far it is, what it wrote and left, and how it ended. */
const fields = {
  exit_code: integer({ description: 'Ends the attempt: whether it succeeded is judged by it.' })
    .min(0)
    .max(2 ** 32 - 1),
  signal: text(16, { description: 'Ends the attempt, in place of exit_code: what it was killed by, such as SIGKILL.' }),
  reason: text(1000, { description: 'Why it ended like this, where the exit code does not say it.' }),
  stdout: text(mostText, {
    description: 'What it wrote since the last report. Secrets are hidden in it: send whole lines.',
  }),
  stderr: text(mostText, { description: 'The same, of its errors.' }),
  progress: integer({ description: 'How far it is, in percent.' }).min(0).max(100),
  message: text(1000, { description: 'What it is doing. Secrets are hidden in it, too.' }),
  artifacts: optionalJson(reportedFiles, {
    description:
      'Files that it leaves, their content in base64; the content_type may be left out. All of them are kept, or the ' +
      'report is refused. A file that is kept never changes.',
  }),
};

/** The fields of a report, as they are documented. */
export const reportFields = fieldTable(fields);

/** Null and left out mean the same but for `progress` and `message`, where null clears. */
export type Report = Partial<RowOf<typeof fields>>;

/** Whether what is said of a job is a report. */
export function isReport(given: Readonly<Record<string, unknown>>): boolean {
  return reportFields.some(({ name }) => Object.hasOwn(given, name));
}

/** Whether the attempt is over. */
export function endsAttempt({ exit_code = null, signal = null }: Report): boolean {
  return exit_code !== null || signal !== null;
}

/** Reads what a caller wrote; every wrong field is added to `errors`. */
export function readReport(given: Readonly<Record<string, unknown>>, errors: FieldError[]): Report {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(fields, name))
      read[name] = readField(name, fields[name as keyof typeof fields] as Field, value, errors);
    else errors.push({ field: name, message: `${name} is no part of a report; there are ${namesOfFields}` });
  }
  const report = read as Report;
  if ((report.exit_code ?? null) !== null && (report.signal ?? null) !== null)
    errors.push({ field: 'signal', message: 'signal takes the place of exit_code: an attempt ends by one of them' });
  if ((report.reason ?? null) !== null && !endsAttempt(report))
    errors.push({
      field: 'reason',
      message: 'reason says why an attempt ended: exit_code or signal must say that it did',
    });
  return report;
}

const namesOfFields = Object.keys(fields).join(', ');
