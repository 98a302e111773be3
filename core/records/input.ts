import { ValidationError } from 'yup';
import { type FieldError, HorariumError, invalid } from '../errors.ts';
import { didYouMean } from '../field/did-you-mean.ts';
import type { FieldDescription } from '../field/field-description.ts';
import { type Field, isNullable, metaOf } from '../field/field-meta.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { AnyRow } from '../store/table.ts';

/**
 * Validates the input of a save and returns the columns that it writes. A missing field stays as it is (or gets its
 * default in a new record), null clears it. Every invalid field adds an error to `errors`.
 */
export function readInput<R extends AnyRow>(
  resource: Resource<R>,
  input: unknown,
  before: R | undefined,
  errors: FieldError[],
  service: RecordServices,
): Partial<R> {
  if (!isPlainObject(input))
    throw new HorariumError('bad_request', `${resource.name} must be an object of fields, such as {"name": "…"}.`);
  const values: Record<string, unknown> = {};
  const read = (name: string, field: Field, value: unknown) =>
    readField(name, field, value ?? metaOf(field).defaultFor?.(service) ?? null, errors);
  for (const [name, value] of Object.entries(input)) {
    const column = resource.columns.find((each) => each.name === name && !each.hidden);
    const message = column ? immutableError(column, value, before) : unknownField(resource, name);
    if (message) errors.push({ field: name, message });
    else if (column && !column.readOnly) values[name] = read(name, resource.fields[name] as Field, value);
  }
  if (!before) fillDefaults(resource, values, errors, service);
  return values as Partial<R>;
}

/** Parses and validates one value against the schema of its field. An invalid value adds its errors to `errors`. */
export function readField(name: string, field: Field, input: unknown, errors: FieldError[]): unknown {
  const defaultValue = field.getDefault();
  if (input === null) {
    if (!isNullable(field) && (defaultValue === undefined || defaultValue === null))
      errors.push({ field: name, message: `${name} is required and cannot be cleared` });
    return defaultValue ?? null;
  }
  try {
    const value = metaOf(field).parse?.(input) ?? input;
    return field.validateSync(value, { strict: true, abortEarly: false, path: name } as object);
  } catch (error) {
    for (const fieldError of fieldErrors(name, error)) errors.push(fieldError);
    return input;
  }
}

/**
 * @param subject has the invalid fields, such as a resource's name: the message begins with it.
 * @throws HorariumError `invalid` naming every invalid field, when there is one.
 */
export function throwIfInvalid(subject: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(subject, errors);
}

function unknownField(resource: AnyResource, name: string): string {
  const fields = resource.columns.filter((column) => !column.hidden).map((column) => column.name);
  const suggestion = didYouMean(name, fields);
  return `${name} is not a field of ${resource.name}${suggestion && `.${suggestion}`}`;
}

function immutableError(column: FieldDescription, value: unknown, before: object | undefined): string | undefined {
  const unchanged = before && (before as Record<string, unknown>)[column.name] === value;
  if (column.immutable && before && !unchanged) return `${column.name} cannot be changed once it is set`;
  return undefined;
}

function fillDefaults(
  resource: AnyResource,
  values: Record<string, unknown>,
  errors: FieldError[],
  service: RecordServices,
): void {
  for (const column of resource.columns) {
    if (column.name in values) continue;
    const isWrong = errors.some(({ field }) => field === column.name || field === column.namedBy);
    if (column.required && !column.readOnly && !isWrong)
      errors.push({ field: column.name, message: `${column.name} is required` });
    const field = resource.fields[column.name] as Field;
    values[column.name] = metaOf(field).defaultFor?.(service) ?? field.getDefault() ?? null;
  }
}

/**
 * The errors of a failed validation, one for each invalid field.
 * @param name the field of an error that names none.
 */
export function fieldErrors(name: string, error: unknown): FieldError[] {
  if (error instanceof ValidationError) {
    if (error.inner.length > 0) return error.inner.flatMap((each) => fieldErrors(name, each));
    return [{ field: error.path ?? name, message: messageOf(error, name) }];
  }
  if (error instanceof Error) return [{ field: name, message: `${name} ${error.message}` }];
  throw error;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  scalar: 'a text, a number, true or false',
};

/** The message for a yup error. Unlike yup's own it does not repeat a value of the wrong type, which may be a secret. */
function messageOf(error: ValidationError, name: string): string {
  const field = error.path ?? name;
  const { type, values } = (error.params ?? {}) as { type?: unknown; values?: unknown };
  if (error.type === 'typeError') return `${field} must be ${typeNames[String(type)] ?? 'of another type'}`;
  if (error.type === 'optionality' || error.type === 'required') return `${field} is required`;
  if (error.type !== 'oneOf') return error.message;
  const isShort = typeof error.value === 'string' && error.value.length <= 64;
  return `${field} must be one of ${values}${isShort ? `, not ${error.value}` : ''}`;
}
