import { mixed, type Schema, string, ValidationError } from 'yup';
import type { Field, FieldMeta, ValueOf } from './field-meta.ts';
import { isPlainObject } from './value-path.ts';

type More = Omit<FieldMeta, 'kind'>;

/** Structured data checked by a schema of its own; stored as JSON. */
export function json<F extends Field>(shape: F, initial: NoInfer<ValueOf<F>>, more: More = {}) {
  return mixed()
    .defined()
    .default(() => initial as never)
    .test(nested(shape))
    .meta({ kind: 'json', shape, ...more }) as unknown as Schema<ValueOf<F> & {}>;
}

/** Structured data that may be unset. */
export function optionalJson<F extends Field>(shape: F, more: More = {}) {
  return mixed()
    .nullable()
    .default(null)
    .test(nested(shape))
    .meta({ kind: 'json', shape, ...more }) as unknown as Schema<(ValueOf<F> & {}) | null>;
}

/** An object whose keys follow a pattern and whose values follow a schema: `{KEY: text}`. */
export function mapOf<T>(value: Field<T>, key: { readonly pattern: RegExp; readonly words: string }, most = 1000) {
  const check = (given: unknown): given is Record<string, T> => isPlainObject(given);
  return mixed<Record<string, T>>({ type: 'object', check })
    .test('map', (given, context) => {
      if (given === undefined || given === null) return true;
      const entries = Object.entries(given);
      if (entries.length > most)
        return context.createError({ message: `${context.path} may have at most ${most} keys` });
      const errors: ValidationError[] = [];
      for (const [name, item] of entries) {
        const path = context.path ? `${context.path}.${name}` : name;
        if (!key.pattern.test(name)) errors.push(new ValidationError(`${path} is not ${key.words}`, name, path));
        collect(errors, () => value.validateSync(item, { strict: true, abortEarly: false, path } as object));
      }
      return errors.length === 0 || new ValidationError(errors, given, context.path);
    })
    .meta({ entries: { key: key.pattern, value, most } });
}

function nested<T>(shape: Field<T>) {
  return {
    name: 'shape',
    test: (value: unknown, context: { path: string }) => {
      if (value === undefined || value === null) return true;
      const errors: ValidationError[] = [];
      const options = { strict: true, abortEarly: false, path: context.path } as object;
      collect(errors, () => shape.validateSync(value, options));
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

/** A single value of plain data: what a variable or an option may be set to. */
export type Scalar = string | number | boolean;

/** Checks a single value inside structured data. */
export const scalar = mixed<Scalar>({
  type: 'scalar',
  check: (value): value is Scalar => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
}).meta({ plain: { type: ['string', 'number', 'boolean'] } });

/** Any object: kept as it is. */
export const anything = mapOf(mixed().nullable(), { pattern: /^(?!__proto__$)/, words: 'a key' });

/** The name of an environment variable that an App or a credential type may declare. */
export const environmentKey = {
  pattern: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  words: 'the name of an environment variable',
};

/** A name whose value anyone but the writer of an App may set: those that decide what code is run are left out. */
export const settableKey = {
  pattern: /^(?!__proto__$|PATH$|NODE_OPTIONS$|LD_|HORARIUM_)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  words: 'the name of a variable that may be set here (PATH, NODE_OPTIONS, LD_* and HORARIUM_* may not)',
};

/** `{KEY: text}`: what a company, a template or one job sets. */
export const environmentMap = () => mapOf(string().max(32_768).defined(), settableKey);
