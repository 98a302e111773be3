import type { Variable } from '../app/declarations.ts';
import type { FieldError } from '../errors.ts';
import { describeFields, type FieldDescription } from '../field/field-description.ts';
import type { Field, Fields, RowOf } from '../field/field-meta.ts';
import { readField, throwIfInvalid } from '../records/input.ts';
import { readText } from '../records/text-input.ts';
import {
  type FunctionAttempt,
  FunctionExecutor,
  type FunctionExecutorOptions,
  type JobFunction,
} from './function-executor.ts';

/** Makes an executor of functions: `functions({ checkStock: async ({ log }) => log('all there') })`. */
export function functions(
  byName: Readonly<Record<string, JobFunction>> = {},
  options: FunctionExecutorOptions = {},
): FunctionExecutor {
  return new FunctionExecutor(byName, options);
}

/** An attempt whose environment is read by described fields. */
export interface TypedAttempt<F extends Fields> extends FunctionAttempt {
  /** The variables that the fields describe, by name. */
  readonly values: Readonly<RowOf<F>>;
}

export interface FunctionDefinition<F extends Fields> {
  /** The variables that the function reads, described with the same field helpers as records. */
  readonly environment: F;
  run(attempt: TypedAttempt<F>): unknown;
}

/**
 * Makes a function that gets its environment as typed values. A job whose environment lacks a required variable, or has a
 * value of another type, fails with a sentence that names it, and the function is not called.
 */
export function defineFunction<const F extends Fields>({ environment, run }: FunctionDefinition<F>): JobFunction {
  const typed = (attempt: FunctionAttempt) =>
    run({ ...attempt, values: readEnvironment(environment, attempt.environment) });
  const variables = describeFields(environment).map((field) => [field.name, variableOf(field)]);
  return Object.assign(typed, { variables: Object.fromEntries(variables) });
}

/** Declares the variable of a field. The function itself checks what the type does not, and has the default. */
function variableOf({ kind, secret, description }: FieldDescription): Variable {
  const type = secret ? 'secret' : (types[kind] ?? 'string');
  return description === undefined ? { type } : { type, description };
}

const types: Partial<Readonly<Record<FieldDescription['kind'], Variable['type']>>> = {
  integer: 'integer',
  number: 'float',
  flag: 'bool',
};

/** @throws HorariumError `invalid` naming every variable that is missing or has a value of another type. */
function readEnvironment<F extends Fields>(fields: F, environment: Readonly<Record<string, string>>): RowOf<F> {
  const errors: FieldError[] = [];
  const values = describeFields(fields).map((column): [string, unknown] => {
    const { name } = column;
    // A variable may have the name of an inherited property.
    const text = Object.hasOwn(environment, name) ? (environment[name] as string) : '';
    if (text === '' && column.required) errors.push({ field: name, message: `${name} has no value` });
    if (text === '') return [name, column.default];
    return [name, readField(name, fields[name] as Field, convert(text, column), errors)];
  });
  throwIfInvalid('The environment', errors);
  return Object.fromEntries(values) as RowOf<F>;
}

/** Converts a text by the kind of its field. One that does not convert stays, and the field rejects it. */
function convert(text: string, column: Parameters<typeof readText>[0]): unknown {
  if (column.kind !== 'json' && column.kind !== 'texts') return readText(column, text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
