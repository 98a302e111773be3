import { badRequest, invalid } from '../errors.ts';
import { type Field, metaOf } from '../field/field-meta.ts';
import type { FieldRow, FieldTable } from '../field/field-table.ts';
import { type ParsedJson, parseJson } from '../field/json-text.ts';
import { yesOrNo } from '../field/parse-values.ts';
import type { AnyResource } from '../resource/define-resource.ts';

/** The texts of a form or of command options, by field; a field that is given several times has several. */
export type TextFields = ReadonlyMap<string, readonly string[]>;

/** Input as a channel received it: parsed, but not validated. */
export type UncheckedInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: TextFields };

type Input = Record<string, unknown>;

/**
 * The fields of a record that some input gives, still unchecked. JSON is taken as it is; texts are read by the kind of
 * their field, and an empty text clears a field that is not text.
 * @param more fields that may be given besides those of the record.
 * @throws HorariumError `bad_request` for anything but an object of fields; `invalid` for texts given more than once.
 */
export function recordInput(resource: AnyResource, given: UncheckedInput, more: FieldTable = []): Input {
  if (given.kind === 'none') return {};
  const input = given.kind === 'form' ? readTextFields(resource, given.fields, more) : given.value;
  if (!isObject(input))
    throw badRequest(`The body must be one ${resource.name}, an object of fields such as {"name": "…"}.`);
  const { id } = input;
  if (id !== undefined && !(typeof id === 'number' && Number.isSafeInteger(id) && id > 0))
    throw invalid(resource.name, [{ field: 'id', message: 'id must be a positive whole number' }]);
  return withTimesAsText(resource, input);
}

/** Turns numbers given for times into text: only embedders may give a time as a number, so validation refuses them here. */
function withTimesAsText(resource: AnyResource, input: Input): Input {
  const times = resource.columns.filter(({ name, kind }) => kind === 'instant' && typeof input[name] === 'number');
  return { ...input, ...Object.fromEntries(times.map(({ name }) => [name, String(input[name])])) };
}

/**
 * Reads texts by the kinds of their fields: numbers, flags, lists and JSON.
 * @throws HorariumError `invalid` for `__proto__`, and for several texts of a field that holds one value.
 */
function readTextFields(resource: AnyResource, fields: TextFields, more: FieldTable = []): Input {
  const input: Input = {};
  const columns = [...resource.columns, ...more];
  for (const [name, texts] of fields) {
    if (name === '__proto__') throw invalid(resource.name, [{ field: name, message: '__proto__ is not allowed' }]);
    const column = columns.find((each) => each.name === name);
    const [only] = texts;
    if (column?.kind === 'json' && texts.length === 1) input[name] = readJson(resource, name, only as string);
    else if (column && isList(column, texts, resource)) input[name] = texts.map((each) => readText(column, each));
    else if (texts.length > 1)
      throw invalid(resource.name, [{ field: name, message: `${name} is given more than once` }]);
    else input[name] = column ? readText(column, only as string) : only;
  }
  return input;
}

/** A single text is a list of one, unless the field itself splits texts. */
function isList(column: FieldRow, texts: readonly string[], resource: AnyResource): boolean {
  if (column.kind === 'references') return true;
  if (column.kind !== 'texts') return false;
  return texts.length > 1 || metaOf(resource.fields[column.name] as Field).parse === undefined;
}

/** The values that browsers send for a checkbox. */
const checkbox: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
]);

/** Leaves a text that cannot be read as it is, so that the field's own validation names it. */
function readText(column: FieldRow, text: string): unknown {
  if (column.kind === 'text' || column.kind === 'texts') return text;
  if (text === '') return null;
  if (column.kind === 'flag') return checkbox.get(text) ?? yesOrNo(text) ?? text;
  const numeric = column.kind === 'integer' || column.kind === 'number' || /^references?$/.test(column.kind);
  return numeric && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Checks structured data as a JSON body is checked; a text that is not JSON stays a text. */
function readJson(resource: AnyResource, name: string, text: string): unknown {
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

function isObject(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
