import { array, boolean, mixed, number, string } from 'yup';
import type { Instant } from '../loop/clock.ts';
import { parseDuration, second } from '../time/duration.ts';
import { parseInstant } from '../time/instant.ts';
import type { ExactOptions, FieldOptions, RuleOf } from './field-meta.ts';

export function text<const M extends FieldOptions = FieldOptions>(
  max: number,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return string<string, RuleOf<M>>()
    .max(max)
    .nullable()
    .default(null)
    .meta({ kind: 'text', ...options });
}

export function integer<const M extends FieldOptions = FieldOptions>(options: ExactOptions<M> = {} as ExactOptions<M>) {
  return number<number, RuleOf<M>>()
    .integer()
    .min(-Number.MAX_SAFE_INTEGER)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .meta({ kind: 'integer', ...options });
}

/** A whole number from zero on, with a default: counts, priorities that may not be null. */
export function count<const M extends FieldOptions = FieldOptions>(
  defaultValue: number,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return number<number, RuleOf<M>>()
    .integer()
    .min(0)
    .max(2 ** 31 - 1)
    .default(defaultValue)
    .meta({ kind: 'integer', ...options });
}

/** A duration as text, with its unit. */
type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A whole number of seconds from zero on, with a default; input may be a duration with its unit too: `30s`, `5m`. */
export function seconds<const M extends FieldOptions = FieldOptions>(
  defaultValue: number,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return number<number, RuleOf<M, DurationText>>()
    .integer()
    .min(0)
    .max(2 ** 31 - 1)
    .default(defaultValue)
    .meta({ kind: 'integer', format: 'duration', parse: parseSeconds, ...options });
}

function parseSeconds(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const duration = /^\d+$/.test(input) ? Number(input) * second : parseDuration(input);
  if (duration === undefined || duration % second !== 0)
    throw new Error('must be a number of seconds, or a duration such as 30s, 5m or 2h');
  return duration / second;
}

export function flag<const M extends FieldOptions = FieldOptions>(
  defaultValue: boolean,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return boolean<boolean, RuleOf<M>>()
    .default(defaultValue)
    .meta({ kind: 'flag', ...options });
}

export function choice<const T extends string, const M extends FieldOptions = FieldOptions>(
  values: readonly T[],
  options: ExactOptions<M, 'meanings'> & {
    readonly meanings?: Readonly<Record<NoInfer<T>, string>>;
  } = {} as ExactOptions<M>,
) {
  return string<T, RuleOf<M>>()
    .oneOf(values)
    .nullable()
    .default(null)
    .meta({ kind: 'choice', ...(options as FieldOptions) });
}

/** An instant, written as RFC 3339 with any offset and stored as milliseconds since 1970. */
export function instant<const M extends FieldOptions = FieldOptions>(options: ExactOptions<M> = {} as ExactOptions<M>) {
  return number<Instant, RuleOf<M, string>>()
    .integer()
    .nullable()
    .default(null)
    .meta({ kind: 'instant', parse: parseInstant, ...options });
}

/** The id of one record of another resource. */
export function ref<const M extends FieldOptions = FieldOptions>(
  resource: string,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return number<number, RuleOf<M>>()
    .integer()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .default(null)
    .meta({ kind: 'reference', references: resource, indexed: true, ...options });
}

/** The ids of several records of another resource. @param max how many there may be. */
export function refs<const M extends FieldOptions = FieldOptions>(
  resource: string,
  options: ExactOptions<M, 'max'> & { readonly max?: number } = {} as ExactOptions<M>,
) {
  const { max = 1000, ...others }: FieldOptions & { readonly max?: number } = options;
  return array<RuleOf<M>>()
    .of(number<number, RuleOf<M>>().integer().min(1).max(Number.MAX_SAFE_INTEGER).required())
    .max(max)
    .default([])
    .meta({ kind: 'references', references: resource, ...others });
}

/** The maximum number of texts in a list. */
export const maxTexts = 1000;

export function texts<const M extends FieldOptions = FieldOptions>(
  max: number,
  options: ExactOptions<M> = {} as ExactOptions<M>,
) {
  return array<RuleOf<M>>()
    .of(string<string, RuleOf<M>>().max(max).defined())
    .max(maxTexts)
    .default([])
    .meta({ kind: 'texts', ...options });
}

/** Bytes. For the service's own tables only: no channel takes or shows them. */
export function binary(options: FieldOptions = {}) {
  return mixed<Uint8Array>((value): value is Uint8Array => value instanceof Uint8Array)
    .nullable()
    .default(null)
    .meta({ kind: 'binary', ...options });
}
