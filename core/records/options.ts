import type { FieldError } from '../errors.ts';
import { type Field, type Fields, metaOf } from '../field/field-meta.ts';
import { fieldTable } from '../field/field-table.ts';
import type { ValuePath } from '../field/value-path.ts';
import { pathText } from '../field/value-path.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { readField } from './input.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Checks the options given to something a plugin brings against the fields it describes, and returns them as they are
 * stored: only what was given, read. Secrets that are encrypted already are left as they are.
 */
export function readOptions(path: ValuePath, fields: Fields, given: Values, errors: FieldError[]): Values {
  const read = Object.entries(given).map(([name, value]) => {
    const optionPath = pathText([...path, name]);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field)
      errors.push({ field: optionPath, message: `${optionPath} is not an option; the options are ${listOf(fields)}` });
    return [name, field && !isCiphertext(value) ? readField(optionPath, field, value, errors) : value];
  });
  for (const { name, required } of fieldTable(fields)) {
    const optionPath = pathText([...path, name]);
    if (required && !Object.hasOwn(given, name))
      errors.push({ field: optionPath, message: `${optionPath} is required` });
  }
  return Object.fromEntries(read);
}

/** Every option that is described: the given ones, and the others at their defaults. */
export function completeOptions(fields: Fields, given: Values): Values {
  const initial = (field: Field) => field.getDefault() ?? null;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, given[name] ?? initial(field)]));
}

/** The paths of the secret options. */
export function secretOptions(path: ValuePath, fields: Fields | undefined): ValuePath[] {
  const secret = Object.entries(fields ?? {}).filter(([, field]) => metaOf(field).secret);
  return secret.map(([name]) => [...path, name]);
}

/** The given options, and the stored secrets among those left out: a secret that is not given stays as it is. */
export function keepSecretOptions(fields: Fields | undefined, given: Values, stored: Values | undefined): Values {
  const left = secretOptions([], fields).flatMap(([name]) =>
    typeof name === 'string' && !Object.hasOwn(given, name) && isCiphertext(stored?.[name])
      ? [[name, stored[name]]]
      : [],
  );
  return { ...given, ...(Object.fromEntries(left) as Values) };
}

function listOf(fields: Fields): string {
  return Object.keys(fields).join(', ') || 'none';
}
