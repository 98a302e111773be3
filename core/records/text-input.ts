import { badRequest, invalid } from '../errors.ts';
import type { FieldDescription, FieldDescriptions } from '../field/field-description.ts';
import { type Field, metaOf } from '../field/field-meta.ts';
import { type ParsedJson, parseJson } from '../field/json-text.ts';
import { yesOrNo } from '../field/parse-values.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { AnyResource } from '../resource/define-resource.ts';

/** The texts of a form or of command options by field; a repeated field has several. */
export type TextFields = ReadonlyMap<string, readonly string[]>;

/** Input as a channel received it: parsed, but not validated. */
export type UncheckedInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: TextFields };

type Input = Record<string, unknown>;

/**
 * Returns the fields of a record in the input of a channel, not yet validated. JSON values stay as they are. Texts are
 * converted by the kind of their field; an empty text clears a field that is not a text.
 * @param extraFields accepted besides those of the record.
 * @throws HorariumError `bad_request` for anything but an object of fields; `invalid` for texts given more than once.
 */
export function recordInput(
  resource: AnyResource,
  unchecked: UncheckedInput,
  extraFields: FieldDescriptions = [],
): Input {
  if (unchecked.kind === 'none') return {};
  const input = unchecked.kind === 'form' ? readTextFields(resource, unchecked.fields, extraFields) : unchecked.value;
  if (!isPlainObject(input))
    throw badRequest(`The body must be one ${resource.name}, an object of fields such as {"name": "…"}.`);
  const { id } = input;
  if (id !== undefined && !(typeof id === 'number' && Number.isSafeInteger(id) && id > 0))
    throw invalid(resource.name, [{ field: 'id', message: 'id must be a positive whole number' }]);
  return withTimesAsText(resource, input);
}

/** Turns numbers in time fields into texts, which validation rejects: only embedding programs may give times as numbers. */
function withTimesAsText(resource: AnyResource, input: Input): Input {
  const times = resource.columns.filter(({ name, kind }) => kind === 'instant' && typeof input[name] === 'number');
  return { ...input, ...Object.fromEntries(times.map(({ name }) => [name, String(input[name])])) };
}

/** What has fields: a resource, or the options of a plugin's extension. */
type Described = Pick<AnyResource, 'name' | 'columns' | 'fields'>;

/**
 * Converts texts by the kinds of their fields: numbers, flags, lists and JSON.
 * @throws HorariumError `invalid` for `__proto__`, and for several texts of a field that holds one value.
 */
export function readTextFields(resource: Described, fields: TextFields, extraFields: FieldDescriptions = []): Input {
  const input: Input = {};
  const columns = [...resource.columns, ...extraFields];
  for (const [name, texts] of fields) {
    if (name === '__proto__') throw invalid(resource.name, [{ field: name, message: '__proto__ is not allowed' }]);
    const column = columns.find((candidate) => candidate.name === name);
    const [first] = texts;
    if (column?.kind === 'json' && texts.length === 1) input[name] = readJson(resource, name, first as string);
    else if (column && isList(column, texts, resource)) input[name] = texts.map((text) => readText(column, text));
    else if (texts.length > 1)
      throw invalid(resource.name, [{ field: name, message: `${name} is given more than once` }]);
    else input[name] = column ? readText(column, first as string) : first;
  }
  return input;
}

/** Whether the texts are the elements of a list. A single text is a list of one, unless its field splits texts. */
function isList(column: FieldDescription, texts: readonly string[], resource: Described): boolean {
  if (column.kind === 'references') return true;
  if (column.kind !== 'texts') return false;
  return texts.length > 1 || metaOf(resource.fields[column.name] as Field).parse === undefined;
}

/** The values that browsers send for a checkbox. */
const checkboxValues: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
]);

/** Converts a text by the kind of its field. A text that does not convert stays, and the field's validation rejects it. */
export function readText(column: FieldDescription, text: string): unknown {
  if (column.kind === 'text' || column.kind === 'texts') return text;
  if (text === '') return null;
  if (column.kind === 'flag') return checkboxValues.get(text) ?? yesOrNo(text) ?? text;
  const isNumeric = column.kind === 'integer' || column.kind === 'number' || /^references?$/.test(column.kind);
  return isNumeric && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Parses and checks structured data like a JSON body. A text that is not JSON stays, and validation rejects it. */
function readJson(resource: Described, name: string, text: string): unknown {
  if (text === '') return null;
  let parsed: ParsedJson;
  try {
    parsed = parseJson(text);
  } catch {
    return text;
  }
  const errors = parsed.errors.map(({ field, message }) => ({ field: field ? `${name}.${field}` : name, message }));
  if (errors.length > 0) throw invalid(resource.name, errors);
  return parsed.value;
}
