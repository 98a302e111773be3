import { badRequest, type FieldError } from '../errors.ts';
import { type Field, type Fields, metaOf, type RowOf } from '../field/field-meta.ts';
import { isPlainObject, pathText, type ValuePath } from '../field/value-path.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { knownFields, readField, readFields, requireFields, throwIfInvalid } from './input.ts';
import type { UncheckedInput } from './text-input.ts';

/** The options of an executor, event source or action, by name. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Checks options of an executor, event source or action against the fields that its plugin describes.
 * @param owner what has the options, for errors: `the executor native`.
 * @returns the given options as they are stored, without defaults; ciphertext stays as it is.
 */
export function readOptions(
  path: ValuePath,
  fields: Fields,
  given: Options,
  owner: string,
  errors: FieldError[],
): Options {
  const stored: Record<string, unknown> = {};
  for (const [name, value] of knownFields(given, Object.keys(fields), `an option of ${owner}`, errors, path)) {
    const optionPath = pathText([...path, name]);
    stored[name] = isCiphertext(value) ? value : readField(optionPath, fields[name] as Field, value, errors);
  }
  requireFields(fields, given, errors, path);
  return stored;
}

/** Adds the defaults of the options that were not given. */
export function completeOptions(fields: Fields, given: Options): Options {
  const defaultOf = (field: Field) => field.getDefault() ?? null;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, given[name] ?? defaultOf(field)]));
}

/** Lists the paths of the secret options. */
export function secretOptionPaths(path: ValuePath, fields: Fields | undefined): ValuePath[] {
  const secret = Object.entries(fields ?? {}).filter(([, field]) => metaOf(field).secret);
  return secret.map(([name]) => [...path, name]);
}

/** Adds the stored secrets to the given options: leaving out a secret does not unset it. */
export function keepStoredSecrets(fields: Fields | undefined, given: Options, stored: Options | undefined): Options {
  const kept = secretOptionPaths([], fields).flatMap(([name]) =>
    typeof name === 'string' && !Object.hasOwn(given, name) && isCiphertext(stored?.[name])
      ? [[name, stored[name]]]
      : [],
  );
  return { ...given, ...(Object.fromEntries(kept) as Options) };
}

/**
 * Reads the values of fields that make no record from the JSON body of a request, with the defaults of those left out.
 * @param subject what the values are for, as the beginning of messages: `The import`.
 * @throws HorariumError `bad_request` for anything but an object, `invalid` naming every wrong field.
 */
export function readValues<F extends Fields>(fields: F, body: UncheckedInput, subject: string): RowOf<F> {
  const input = body.kind === 'json' ? body.value : null;
  if (!isPlainObject(input)) throw badRequest(`${subject} must be an object of fields, as JSON.`);
  const errors: FieldError[] = [];
  const values = readFields(fields, input, `a field of ${subject.charAt(0).toLowerCase()}${subject.slice(1)}`, errors);
  requireFields(fields, input, errors);
  throwIfInvalid(subject, errors);
  return completeOptions(fields, values) as RowOf<F>;
}
