import type { FieldError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import { pathText } from '../field/value-path.ts';
import { movedAddress, movedSecretErrors } from '../records/moved-secrets.ts';
import { secretOptionPaths } from '../records/plugin-options.ts';
import type { ActionSchemas } from '../resource/record-services.ts';
import { containsCiphertext } from '../secret/ciphertext.ts';
import { idOf, type ListedAction, plainOptions } from './listed-action.ts';

interface KeptContext {
  readonly event: string;
  readonly index: number;
  /** The id that the input gives. */
  readonly given: string | undefined;
  /** The list as it is stored, and how many actions the new one has. */
  readonly stored: readonly ListedAction[];
  readonly length: number;
  readonly schema: NonNullable<ReturnType<ActionSchemas['get']>>;
}

/**
 * Returns errors for stored secrets that a listed action may not keep. They are kept in their place in the list, so an
 * action that was moved would get the secrets of another one; and at another address others would learn them.
 */
export function keptSecretErrors(listed: ListedAction, context: KeptContext): FieldError[] {
  const { event, index, stored, schema } = context;
  if (!containsCiphertext(listed)) return [];
  const other = placeOf(listed, context);
  const path = pathText([event, index]);
  const message = `${path} needs its secrets again: they are kept in their place, and it may be the stored ${pathText([event, other])}`;
  const inPlace = stored[index];
  const moved = inPlace?.action === listed.action ? movedAddress(schema, listed, inPlace) : ['action'];
  const secrets = secretOptionPaths([], schema.options);
  return [
    ...(other === index ? [] : [{ field: path, message }]),
    ...movedSecretErrors(listed, secrets, moved, [event, index]),
  ];
}

/** Returns where an action stands in the stored list, by its id or else its content; its new place where none is it. */
function placeOf(listed: ListedAction, { index, given, stored, length, schema }: KeptContext): number {
  const found = (isIt: (other: ListedAction, position: number) => boolean) => {
    const position = stored.findIndex(isIt);
    return position < 0 ? index : position;
  };
  if (given !== undefined) return found((other, position) => idOf(other, position) === given);
  const text = canonicalJson(plainOptions(schema.options, listed));
  const isAs = (other: ListedAction | undefined) =>
    other !== undefined && canonicalJson(plainOptions(schema.options, other)) === text;
  // The secrets of a list that became shorter may belong to any action that looks alike.
  const isInPlace = isAs(stored[index]) && length >= stored.length;
  return isInPlace ? index : found((other, position) => position !== index && isAs(other));
}
