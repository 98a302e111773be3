import { type FieldError, invalid } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import type { Instant } from '../loop/clock.ts';
import { readField } from '../records/input.ts';
import { Job } from './job.ts';

/** What a caller may say of a job that has not started. */
export interface JobInput {
  readonly runtemplate_id?: number;
  readonly task_id?: number;
  /** A time, or `now`. */
  readonly scheduled_at?: Instant | 'now';
  readonly executor?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `cancelled` cancels it. */
  readonly state?: string;
}

const known = ['runtemplate_id', 'task_id', 'scheduled_at', 'executor', 'environment', 'state'] as const;

/** Reads what a caller wrote; every wrong field is added to `errors`. */
export function readJobInput(given: Readonly<Record<string, unknown>>, errors: FieldError[]): JobInput {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const column = Job.columns.find((each) => each.name === name && !each.hidden);
    if (!known.some((field) => field === name)) {
      const message = column ? `${name} is set by the service` : `${name} is not a field of Job`;
      errors.push({ field: name, message });
    } else if (value === null) errors.push({ field: name, message: `${name} cannot be cleared` });
    else if (name === 'scheduled_at' && value === 'now') input[name] = 'now';
    else input[name] = readField(name, Job.fields[name] as Field, value, errors);
  }
  return input as JobInput;
}

/**
 * Reads what a caller wrote to cancel a job: besides the state nothing but why. Null = it is not said.
 * @throws HorariumError `invalid` naming every other field.
 */
export function readCancellation({ state: _state, reason = null, ...others }: Given): string | null {
  const errors: FieldError[] = [];
  const read = readField('reason', Job.fields['reason'] as Field, reason, errors);
  refuseBeside('a cancellation', others, errors);
  return read as string | null;
}

/** @throws HorariumError `invalid` naming every field but the state: nothing else is said in a claim. */
export function readClaim({ state: _state, ...others }: Given): void {
  refuseBeside('a claim', others, []);
}

type Given = Readonly<Record<string, unknown>>;

function refuseBeside(what: string, others: Given, errors: FieldError[]): void {
  for (const field of Object.keys(others)) errors.push({ field, message: `${field} is no part of ${what}` });
  if (errors.length > 0) throw invalid('Job', errors);
}
