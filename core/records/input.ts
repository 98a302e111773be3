import { ValidationError } from 'yup';
import { type FieldError, HorariumError, invalid } from '../errors.ts';
import { describeFields, type FieldDescription } from '../field/field-description.ts';
import { type Field, type Fields, isNullable, metaOf, type RowOf } from '../field/field-meta.ts';
import { isPlainObject, pathText, type ValuePath } from '../field/value-path.ts';
import { hintAfter } from '../registry/did-you-mean.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { AnyRow, RowValues } from '../store/table.ts';

/**
 * Passes fields that the compiler does not know, such as the fields of a request, to a save whose input is typed. The save
 * checks them as it checks all.
 */
export function unchecked<I>(fields: unknown): I {
  return fields as I;
}

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
  const columns = new Map(resource.columns.filter(({ hidden }) => !hidden).map((column) => [column.name, column]));
  for (const [name, value] of knownFields(input, [...columns.keys()], `a field of ${resource.name}`, errors)) {
    const { immutable, readOnly } = columns.get(name) as FieldDescription;
    const field = resource.fields[name] as Field;
    if (readOnly) continue;
    const earlier = errors.length;
    const parsed = readField(name, field, value ?? metaOf(field).defaultFor?.(service) ?? null, errors);
    if (!immutable || !before) values[name] = parsed;
    else if (before[name] !== parsed && errors.length === earlier)
      errors.push({ field: name, message: `${name} cannot be changed once it is set` });
  }
  if (!before) fillDefaults(resource, values, errors, service);
  return values as Partial<R>;
}

/** How many errors of one input may suggest a name, which takes a comparison with each of them. */
const maxHints = 20;

/** The maximum number of fields that an error lists. */
const maxListed = 10;

/**
 * Yields the given fields that are known. Each other one adds an error, which suggests a known field with a similar
 * name, in the order of the fields.
 * @param subject completes the sentence "it is not …" of the error: `a field of App`.
 * @param path the place of the fields in a record.
 */
export function* knownFields(
  given: RowValues,
  names: readonly string[],
  subject: string,
  errors: FieldError[],
  path: ValuePath = [],
): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(given)) {
    const field = pathText([...path, name]);
    if (names.includes(name)) yield [name, value];
    else
      errors.push({
        field,
        message: `${field} is not ${subject}${errors.length < maxHints ? hintFor(name, names) : ''}`,
      });
  }
}

/** Suggests a name that is similar to an unknown one, or lists all if they are few. */
function hintFor(unknown: string, names: readonly string[]): string {
  const suggestion = hintAfter(unknown, names);
  if (suggestion) return suggestion;
  if (names.length > maxListed) return '';
  return names.length > 0 ? `; expected one of ${names.join(', ')}` : '; there are none';
}

/**
 * Parses and validates each given field against its schema. Invalid and unknown fields add errors, as in `knownFields`.
 * @returns the values of the given fields; the others are missing.
 */
export function readFields<F extends Fields>(
  fields: F,
  given: RowValues,
  subject: string,
  errors: FieldError[],
): Partial<RowOf<F>> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of knownFields(given, Object.keys(fields), subject, errors))
    values[name] = readField(name, fields[name] as Field, value, errors);
  return values as Partial<RowOf<F>>;
}

/** Adds an error for each required field that is not given. @param path the place of the fields in a record. */
export function requireFields(fields: Fields, given: RowValues, errors: FieldError[], path: ValuePath = []): void {
  for (const { name, required } of describeFields(fields)) {
    const field = pathText([...path, name]);
    if (required && !Object.hasOwn(given, name)) errors.push({ field, message: `${field} is required` });
  }
}

/** The maximum characters of a text that is parsed as the value of a field: a command line as long as arguments may be. */
export const maxParsedText = 1_048_576;

/** Parses and validates one value against the schema of its field. An invalid value adds its errors to `errors`. */
export function readField(name: string, field: Field, input: unknown, errors: FieldError[]): unknown {
  const defaultValue = field.getDefault();
  if (input === null) {
    if (!isNullable(field) && (defaultValue === undefined || defaultValue === null))
      errors.push({ field: name, message: `${name} is required and cannot be cleared` });
    return defaultValue ?? null;
  }
  const { parse } = metaOf(field);
  if (parse && typeof input === 'string' && input.length > maxParsedText) {
    errors.push({ field: name, message: `${name} may have at most ${maxParsedText} characters` });
    return input;
  }
  try {
    const value = parse?.(input) ?? input;
    return field.validateSync(value, { strict: true, abortEarly: false, path: name } as object);
  } catch (error) {
    for (const fieldError of fieldErrors(name, error)) errors.push(fieldError);
    return input;
  }
}

/** Returns the valid passwords among the given values; saving them reports the invalid ones. */
export function validPasswords(
  resource: AnyResource,
  columns: readonly FieldDescription[],
  given: RowValues,
): RowValues {
  const passwords: Record<string, unknown> = {};
  for (const { name } of columns) {
    const errors: FieldError[] = [];
    const password = readField(name, resource.fields[name] as Field, given[name] ?? null, errors);
    if (errors.length === 0 && typeof password === 'string') passwords[name] = password;
  }
  return passwords;
}

/**
 * @param subject has the invalid fields, such as a resource's name: the message begins with it.
 * @throws HorariumError `invalid` naming every invalid field, when there is one.
 */
export function throwIfInvalid(subject: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(subject, errors);
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
  const { type, resolved = [] } = (error.params ?? {}) as { type?: unknown; resolved?: readonly string[] };
  if (error.type === 'typeError') return `${field} must be ${typeNames[String(type)] ?? 'of another type'}`;
  if (error.type === 'optionality' || error.type === 'required') return `${field} is required`;
  if (error.type !== 'oneOf') return error.message;
  const { value } = error;
  const given = typeof value === 'string' && value.length <= 64 ? `, not ${value}${hintAfter(value, resolved)}` : '';
  return `${field} must be one of ${resolved.join(', ')}${given}`;
}
