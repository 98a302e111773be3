import { mixed, type Schema, ValidationError } from 'yup';
import type { ExactOptions, Field, FieldOptions, RuleOf, ValueOf } from './field-meta.ts';
import { isPlainObject } from './value-path.ts';

/** Structured data that a schema of its own validates; stored as JSON. */
export function json<F extends Field, const M extends FieldOptions = FieldOptions>(
  schema: F,
  defaultValue: NoInfer<ValueOf<F>>,
  options: ExactOptions<M> = {} as ExactOptions<M>,
): Schema<ValueOf<F> & {}, RuleOf<M>, ValueOf<F> & {}, 'd'> {
  return mixed<ValueOf<F> & {}>()
    .defined()
    .default(() => defaultValue as never)
    .test(nested(schema))
    .meta({ kind: 'json', schema, ...options }) as never;
}

/** Structured data that may be unset. */
export function optionalJson<F extends Field, const M extends FieldOptions = FieldOptions>(
  schema: F,
  options: ExactOptions<M> = {} as ExactOptions<M>,
): Schema<(ValueOf<F> & {}) | null, RuleOf<M>, null, 'd'> {
  return mixed<ValueOf<F> & {}>()
    .nullable()
    .default(null)
    .test(nested(schema))
    .meta({ kind: 'json', schema, ...options }) as never;
}

/** The keys that a map allows. */
export interface KeyRule {
  readonly pattern: RegExp;
  /** Completes the sentence "it is not …" of the error for any other key. */
  readonly description: string;
  /** Returns why a key is refused although it matches: the end of a sentence; null = it is not. @default none is */
  refuse?(key: string): string | null;
}

/** Returns the end of a sentence that says why a key is not allowed; null where it is. */
export function keyProblem({ pattern, description, refuse }: KeyRule, key: string): string | null {
  return pattern.test(key) ? (refuse?.(key) ?? null) : `is not ${description}`;
}

/** The maximum characters of a key of a map. */
const maxKey = 255;

/** An object whose keys match a pattern and whose values match a schema: `{KEY: text}`. */
export function mapOf<T>(value: Field<T>, key: KeyRule, max = 1000) {
  const check = (given: unknown): given is Record<string, T> => isPlainObject(given);
  return mixed<Record<string, T>>({ type: 'object', check })
    .test('map', (given, context) => {
      if (given === undefined || given === null) return true;
      const entries = Object.entries(given);
      if (entries.length > max) return context.createError({ message: `${context.path} may have at most ${max} keys` });
      const errors: ValidationError[] = [];
      for (const [name, item] of entries) {
        const isLong = name.length > maxKey;
        const shown = isLong ? `${name.slice(0, maxKey)}…` : name;
        const path = context.path ? `${context.path}.${shown}` : shown;
        const problem = isLong ? `may have at most ${maxKey} characters` : keyProblem(key, name);
        // What is under a wrong key is not looked at: its errors would repeat a key of any length.
        if (problem) errors.push(new ValidationError(`${path} ${problem}`, name, path));
        else collect(errors, () => value.validateSync(item, { strict: true, abortEarly: false, path } as object));
      }
      return errors.length === 0 || new ValidationError(errors, given, context.path);
    })
    .meta({ entries: { key: key.pattern, value, max, maxKey } });
}

function nested<T>(schema: Field<T>) {
  return {
    name: 'shape',
    test: (value: unknown, context: { path: string }) => {
      if (value === undefined || value === null) return true;
      const errors: ValidationError[] = [];
      const options = { strict: true, abortEarly: false, path: context.path } as object;
      collect(errors, () => schema.validateSync(value, options));
      return errors.length === 0 || new ValidationError(errors, value, context.path);
    },
  };
}

function collect(errors: ValidationError[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    errors.push(error);
  }
}

/** The value of a variable or an option: a text, a number or a flag. */
export type Scalar = string | number | boolean;

/** The maximum characters of a text inside structured data; a private key or a certificate fits. */
export const maxScalar = 65_536;

/** Validates a scalar inside structured data. */
export const scalar = mixed<Scalar>({
  type: 'scalar',
  check: (value): value is Scalar => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
})
  .test({
    name: 'max',
    message: ({ path }) => `${path} may have at most ${maxScalar} characters`,
    test: (value) => typeof value !== 'string' || value.length <= maxScalar,
  })
  .meta({ jsonSchema: { type: ['string', 'number', 'boolean'], maxLength: maxScalar } });

/** Data whose members the service does not know, of at most `max` characters as JSON. */
export function sized<F extends Field>(schema: F, max: number): F {
  const test = (value: unknown) => (JSON.stringify(value ?? null) ?? '').length <= max;
  const message = ({ path }: { path: string }) => `${path} may have at most ${max} characters as JSON`;
  return schema.test({ name: 'size', message, test }).meta({ maxSize: max }) as F;
}

/** Any object, stored as it is. */
export const anything = sized(mapOf(mixed().nullable(), { pattern: /^(?!__proto__$)/, description: 'a key' }), 262_144);
