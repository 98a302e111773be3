import type { FieldError } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import type { Instant } from '../loop/clock.ts';
import { knownFields, readField, readFields, throwIfInvalid } from '../records/input.ts';
import type { RowValues } from '../store/table.ts';
import { Job } from './job.ts';

/** The fields that a caller set on a new or pending job, as they were read. */
export interface ReadJob {
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
export function readJobInput(given: RowValues, errors: FieldError[]): ReadJob {
  const input: Record<string, unknown> = {};
  const names = Job.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  for (const [name, value] of knownFields(given, names, 'a field of Job', errors)) {
    if (!settableFields.some((field) => field === name))
      errors.push({ field: name, message: `${name} is set by the service` });
    else if (value === null) errors.push({ field: name, message: `${name} cannot be cleared` });
    else if (name === 'scheduled_at' && value === 'now') input[name] = 'now';
    else input[name] = readField(name, Job.fields[name] as Field, value, errors);
  }
  return input as ReadJob;
}

const { state, reason } = Job.fields as Record<'state' | 'reason', Field>;

/**
 * Reads the reason of a cancellation from its fields; null = it has none.
 * @throws HorariumError `invalid` naming every field but `state` and `reason`.
 */
export function readCancellation(given: RowValues): string | null {
  const errors: FieldError[] = [];
  const cancellation = readFields({ state, reason }, given, 'a field of a cancellation', errors);
  throwIfInvalid('Job', errors);
  return cancellation.reason ?? null;
}

/** @throws HorariumError `invalid` naming every field but `state`, the only one that a claim has. */
export function readClaim(given: RowValues): void {
  const errors: FieldError[] = [];
  readFields({ state }, given, 'a field of a claim', errors);
  throwIfInvalid('Job', errors);
}
