import type { FieldError } from '../errors.ts';
import { maxMessage } from '../executor/attempt-progress.ts';
import { describeFields } from '../field/field-description.ts';
import type { RowOf } from '../field/field-meta.ts';
import { integer, text } from '../field/fields.ts';
import { optionalJson } from '../field/structured.ts';
import { readFields, throwIfInvalid } from '../records/input.ts';
import { readable } from '../secret/ciphertext.ts';
import { maxReason } from '../task/task.ts';
import { readReportedFiles, reportedFiles, type UntypedFile } from './reported-files.ts';

const maxText = 16 * 1024 * 1024;

/** The fields of a report of an external attempt: its progress, output, files and end. */
const fields = {
  exit_code: integer({ description: 'Ends the attempt, and decides whether it succeeded.' })
    .min(0)
    .max(2 ** 32 - 1),
  signal: text(16, {
    description: 'In place of exit_code: the signal that killed the program, such as SIGKILL. Ends the attempt.',
  }),
  reason: text(maxReason, { description: 'Why it ended, if the exit code does not say it.' }).test(readable),
  stdout: text(maxText, {
    description:
      'What it has written since the last report. Send whole lines, so that the heartbeat key can be masked.',
  }),
  stderr: text(maxText, { description: 'The same for its error stream.' }),
  progress: integer({ description: 'Progress in percent.' }).min(0).max(100),
  message: text(maxMessage, { description: 'What it is doing. The heartbeat key is masked in it.' }).test(readable),
  artifacts: optionalJson(reportedFiles, {
    description:
      'Files that it leaves, their content in base64; content_type may be left out. Either all of them are stored, or ' +
      'the report is refused. A stored file never changes.',
  }),
};

/** The fields of a report, for documentation and for channels. */
export const reportFields = describeFields(fields);

type ReportFields = Partial<RowOf<typeof fields>>;

/** A valid report, its files decoded. Null means the same as a missing field, but clears `progress` and `message`. */
export interface Report extends Omit<ReportFields, 'artifacts'> {
  readonly files: readonly UntypedFile[];
}

/** Whether these fields of a change of a job include one of a report. */
export function isReport(input: Readonly<Record<string, unknown>>): boolean {
  return reportFields.some(({ name }) => Object.hasOwn(input, name));
}

/** Whether the report ends the attempt. */
export function endsAttempt({ exit_code = null, signal = null }: Pick<ReportFields, 'exit_code' | 'signal'>): boolean {
  return exit_code !== null || signal !== null;
}

/** Validates the fields of a report, and decodes its files. @throws HorariumError `invalid` with every invalid field. */
export async function readReport(input: Readonly<Record<string, unknown>>): Promise<Report> {
  const errors: FieldError[] = [];
  const { artifacts, ...report } = readFields(fields, input, 'a field of a report', errors);
  checkEnd(report, errors);
  const files = errors.length > 0 ? [] : await readReportedFiles(artifacts ?? [], errors);
  throwIfInvalid('Job', errors);
  return { ...report, files };
}

/** Checks that a report ends the attempt in one way, and gives a reason only with it. */
function checkEnd(report: ReportFields, errors: FieldError[]): void {
  if ((report.exit_code ?? null) !== null && (report.signal ?? null) !== null)
    errors.push({ field: 'signal', message: 'signal replaces exit_code: an attempt ends by one of them' });
  if ((report.reason ?? null) !== null && !endsAttempt(report))
    errors.push({
      field: 'reason',
      message: 'reason says why an attempt ended: exit_code or signal is required with it',
    });
}
