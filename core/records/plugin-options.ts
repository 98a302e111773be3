import type { FieldError } from '../errors.ts';
import { describeFields } from '../field/field-description.ts';
import { type Field, type Fields, metaOf } from '../field/field-meta.ts';
import { pathText, type ValuePath } from '../field/value-path.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { readField } from './input.ts';

/** The options of an executor, event source or action, by name. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Checks options of an executor, event source or action against the fields that its plugin describes.
 * @returns the given options as they are stored, without defaults; ciphertext stays as it is.
 */
export function readOptions(path: ValuePath, fields: Fields, given: Options, errors: FieldError[]): Options {
  const stored = Object.entries(given).map(([name, value]) => {
    const optionPath = pathText([...path, name]);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field)
      errors.push({ field: optionPath, message: `${optionPath} is not an option; the options are ${listOf(fields)}` });
    return [name, field && !isCiphertext(value) ? readField(optionPath, field, value, errors) : value];
  });
  for (const { name, required } of describeFields(fields)) {
    const optionPath = pathText([...path, name]);
    if (required && !Object.hasOwn(given, name))
      errors.push({ field: optionPath, message: `${optionPath} is required` });
  }
  return Object.fromEntries(stored);
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

function listOf(fields: Fields): string {
  return Object.keys(fields).join(', ') || 'none';
}
