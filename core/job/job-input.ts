import { type FieldError, invalid } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import type { Instant } from '../loop/clock.ts';
import { readField } from '../records/input.ts';
import { Job } from './job.ts';

/** The fields that a caller may set on a new or pending job. */
export interface JobInput {
  readonly runtemplate_id?: number;
  readonly task_id?: number;
  /** A time, or `now`. */
  readonly scheduled_at?: Instant | 'now';
  readonly executor?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `cancelled` cancels the job. */
  readonly state?: string;
}

const settableFields = ['runtemplate_id', 'task_id', 'scheduled_at', 'executor', 'environment', 'state'] as const;

/** Reads the fields that a caller sets on a job, and adds the invalid ones to `errors`. */
export function readJobInput(fields: Readonly<Record<string, unknown>>, errors: FieldError[]): JobInput {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const column = Job.columns.find((candidate) => candidate.name === name && !candidate.hidden);
    if (!settableFields.some((field) => field === name)) {
      const message = column ? `${name} is set by the service` : `${name} is not a field of Job`;
      errors.push({ field: name, message });
    } else if (value === null) errors.push({ field: name, message: `${name} cannot be cleared` });
    else if (name === 'scheduled_at' && value === 'now') input[name] = 'now';
    else input[name] = readField(name, Job.fields[name] as Field, value, errors);
  }
  return input as JobInput;
}

/**
 * Reads the reason of a cancellation from its fields; null = it has none.
 * @throws HorariumError `invalid` naming every field but `state` and `reason`.
 */
export function readCancellation({ state: _state, reason = null, ...others }: Values): string | null {
  const errors: FieldError[] = [];
  const value = readField('reason', Job.fields['reason'] as Field, reason, errors);
  assertNoOtherFields('a cancellation', others, errors);
  return value as string | null;
}

/** @throws HorariumError `invalid` naming every field but `state`, the only one that a claim has. */
export function readClaim({ state: _state, ...others }: Values): void {
  assertNoOtherFields('a claim', others, []);
}

type Values = Readonly<Record<string, unknown>>;

function assertNoOtherFields(request: string, others: Values, errors: FieldError[]): void {
  for (const field of Object.keys(others)) errors.push({ field, message: `${field} is not part of ${request}` });
  if (errors.length > 0) throw invalid('Job', errors);
}
