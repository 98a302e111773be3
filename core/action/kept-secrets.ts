import type { FieldError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import { pathText, type ValuePath } from '../field/value-path.ts';
import { type Options, secretOptionPaths } from '../records/plugin-options.ts';
import type { ActionSchemas } from '../resource/record-services.ts';
import { isCiphertext } from '../secret/ciphertext.ts';

interface KeptContext {
  readonly path: ValuePath;
  readonly index: number;
  /** The list as it is stored, and how many actions the new one has. */
  readonly stored: readonly Options[];
  readonly length: number;
  readonly schema: NonNullable<ReturnType<ActionSchemas['get']>>;
  readonly errors: FieldError[];
}

/**
 * Reports stored secrets that a listed action may not keep. They are kept in their place in the list, so an action that
 * was moved would get those of another one; and with another address they would go where they were not meant to go.
 */
export function checkKeptSecrets(listed: Options, context: KeptContext): void {
  const { path, index, stored, length, schema, errors } = context;
  const secrets = secretOptionPaths([], schema.options).map(([name]) => String(name));
  const kept = secrets.filter((name) => isCiphertext(listed[name]));
  if (kept.length === 0) return;
  const plain = (options: Options) =>
    canonicalJson(Object.fromEntries(Object.entries(options).filter(([name]) => !secrets.includes(name))));
  const text = plain(listed);
  const isAs = (other: Options | undefined) => other !== undefined && plain(other) === text;
  const isInPlace = isAs(stored[index]) && length >= stored.length;
  const other = isInPlace ? -1 : stored.findIndex((each, at) => at !== index && isAs(each));
  if (other >= 0) {
    const message = `${pathText(path)} must be given its secrets again: they are kept in their place, and it may be the stored ${pathText([...path.slice(0, -1), other])}`;
    errors.push({ field: pathText(path), message });
  }
  const address = schema.address;
  if (address === undefined || kept.includes(address)) return;
  for (const name of kept) {
    const field = pathText([...path, name]);
    errors.push({
      field,
      message: `${field} must be given again with ${address}, because it was not meant for another one`,
    });
  }
}
