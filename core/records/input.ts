import { ValidationError } from 'yup';
import { type FieldError, HorariumError, invalid } from '../errors.ts';
import { didYouMean } from '../field/did-you-mean.ts';
import { type Field, isNullable, metaOf } from '../field/field-meta.ts';
import type { FieldRow } from '../field/field-table.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import type { AnyRow } from '../store/table.ts';

/**
 * Turns what a caller wrote into what a row holds. A missing field stays as it is (or gets its default in a new
 * record), null clears it. All wrong fields are found in one go; they are added to `errors`.
 */
export function readInput<R extends AnyRow>(
  resource: Resource<R>,
  input: unknown,
  before: R | undefined,
  errors: FieldError[],
  service: RecordServices,
): Partial<R> {
  if (!isPlainObject(input))
    throw new HorariumError('bad_request', `A ${resource.name} must be an object of fields, such as {"name": "…"}.`);
  const values: Record<string, unknown> = {};
  const readGiven = (name: string, field: Field, given: unknown) =>
    readField(name, field, given ?? metaOf(field).initial?.(service) ?? null, errors);
  for (const [name, given] of Object.entries(input)) {
    const column = resource.columns.find((each) => each.name === name && !each.hidden);
    const refusal = column ? refuse(column, given, before) : unknownField(resource, name);
    if (refusal) errors.push({ field: name, message: refusal });
    else if (column && !column.readOnly) values[name] = readGiven(name, resource.fields[name] as Field, given);
  }
  if (!before) fillDefaults(resource, values, errors, service);
  return values as Partial<R>;
}

/** Reads one value as the field's schema says; problems are added to `errors`. */
export function readField(name: string, field: Field, given: unknown, errors: FieldError[]): unknown {
  const initial = field.getDefault();
  if (given === null) {
    if (!isNullable(field) && (initial === undefined || initial === null))
      errors.push({ field: name, message: `${name} is required and cannot be cleared` });
    return initial ?? null;
  }
  try {
    const value = metaOf(field).parse?.(given) ?? given;
    return field.validateSync(value, { strict: true, abortEarly: false, path: name } as object);
  } catch (error) {
    for (const each of fieldErrors(name, error)) errors.push(each);
    return given;
  }
}

/** @throws HorariumError `invalid` naming every wrong field, when there is one. */
export function throwIfInvalid(what: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(what, errors);
}

function unknownField(resource: AnyResource, name: string): string {
  const fields = resource.columns.filter((column) => !column.hidden).map((column) => column.name);
  const meant = didYouMean(name, fields);
  return `${name} is not a field of ${resource.name}${meant && `.${meant}`}`;
}

function refuse(column: FieldRow, given: unknown, before: object | undefined): string | undefined {
  const unchanged = before && (before as Record<string, unknown>)[column.name] === given;
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
    if (column.required && !column.readOnly && !errors.some((error) => error.field === column.name))
      errors.push({ field: column.name, message: `${column.name} is required` });
    const field = resource.fields[column.name] as Field;
    values[column.name] = metaOf(field).initial?.(service) ?? field.getDefault() ?? null;
  }
}

/** The wrong fields that a failed validation names; `name` is the culprit where it names none. */
export function fieldErrors(name: string, error: unknown): FieldError[] {
  if (error instanceof ValidationError) {
    if (error.inner.length > 0) return error.inner.flatMap((each) => fieldErrors(name, each));
    return [{ field: error.path ?? name, message: sentence(error, name) }];
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

/** Words a yup error. A value of the wrong type, which yup repeats, may be a secret, so it is left out. */
function sentence(error: ValidationError, name: string): string {
  const field = error.path ?? name;
  const { type, values } = (error.params ?? {}) as { type?: unknown; values?: unknown };
  if (error.type === 'typeError') return `${field} must be ${typeNames[String(type)] ?? 'of another type'}`;
  if (error.type === 'optionality' || error.type === 'required') return `${field} is required`;
  return error.type === 'oneOf' ? `${field} must be one of ${values}${notWhat(error.value)}` : error.message;
}

/** What was given, where it is short enough to be recognised. */
function notWhat(value: unknown): string {
  return typeof value === 'string' && value.length <= 64 ? `, not ${value}` : '';
}
