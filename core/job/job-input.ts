import { type FieldError, invalid } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import type { Instant } from '../loop/clock.ts';
import { readField } from '../records/input.ts';
import { Job } from './job.ts';

/** The fields of a job that has not started which a caller may set. */
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

const settable = ['runtemplate_id', 'task_id', 'scheduled_at', 'executor', 'environment', 'state'] as const;

/** Reads the given fields of a job; every wrong one is added to `errors`. */
export function readJobInput(given: Readonly<Record<string, unknown>>, errors: FieldError[]): JobInput {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const column = Job.columns.find((each) => each.name === name && !each.hidden);
    if (!settable.some((field) => field === name)) {
      const message = column ? `${name} is set by the service` : `${name} is not a field of Job`;
      errors.push({ field: name, message });
    } else if (value === null) errors.push({ field: name, message: `${name} cannot be cleared` });
    else if (name === 'scheduled_at' && value === 'now') input[name] = 'now';
    else input[name] = readField(name, Job.fields[name] as Field, value, errors);
  }
  return input as JobInput;
}

/**
 * Reads the reason out of the given fields of a cancellation; null = none is given.
 * @throws HorariumError `invalid` naming every field but `state` and `reason`.
 */
export function readCancellation({ state: _state, reason = null, ...others }: Given): string | null {
  const errors: FieldError[] = [];
  const read = readField('reason', Job.fields['reason'] as Field, reason, errors);
  refuseOthers('a cancellation', others, errors);
  return read as string | null;
}

/** @throws HorariumError `invalid` naming every field but `state`, the only one that a claim has. */
export function readClaim({ state: _state, ...others }: Given): void {
  refuseOthers('a claim', others, []);
}

type Given = Readonly<Record<string, unknown>>;

function refuseOthers(what: string, others: Given, errors: FieldError[]): void {
  for (const field of Object.keys(others)) errors.push({ field, message: `${field} is not part of ${what}` });
  if (errors.length > 0) throw invalid('Job', errors);
}
