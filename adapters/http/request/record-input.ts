import {
  type AnyResource,
  computedFields,
  type Field,
  type FieldRow,
  type FieldTable,
  invalid,
  metaOf,
  yesOrNo,
} from '@horarium/core';
import { badRequest } from '../reply/problems.ts';
import type { Body } from './body.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';

type Input = Record<string, unknown>;

/**
 * What a body says about a record, still unchecked. JSON is taken as it is; a form's texts are read as the kinds of
 * the fields say, where an empty text clears a field that is no text.
 * @param more fields that it may have beside those of the record.
 * @throws HttpProblem `bad_request` when it is no object of fields; HorariumError `invalid` for repeated form fields.
 */
export function recordInput(resource: AnyResource, body: Body, more: FieldTable = []): Input {
  if (body.kind === 'none') return {};
  const input = body.kind === 'form' ? formInput(resource, body.fields, more) : body.value;
  if (!isObject(input))
    throw badRequest(`The body must be one ${resource.name}, an object of fields such as {"name": "…"}.`);
  const { id } = input;
  if (id !== undefined && !(Number.isSafeInteger(id) && (id as number) > 0))
    throw invalid(resource.name, [{ field: 'id', message: 'id must be a positive whole number' }]);
  return withTimesAsText(resource, input);
}

/** A time is written as RFC 3339; the number that embedders give instead is as wrong here as any other. */
function withTimesAsText(resource: AnyResource, input: Input): Input {
  const times = resource.columns.filter(({ name, kind }) => kind === 'instant' && typeof input[name] === 'number');
  return { ...input, ...Object.fromEntries(times.map(({ name }) => [name, String(input[name])])) };
}

/**
 * What a body says about a record, without what is shown beside the record's own fields: that is as read-only as its
 * id, so that a record may be sent back as it was shown.
 */
export function recordToSave(resource: AnyResource, body: Body): Input {
  const beside = computedFields(resource, 'item').map(({ name }) => name);
  return Object.fromEntries(Object.entries(recordInput(resource, body)).filter(([name]) => !beside.includes(name)));
}

/**
 * The fields beside the id, which stands in the address already.
 * @throws HttpProblem `bad_request` when the body says another one.
 */
export function withoutId({ id: said, ...fields }: Input, id: number | undefined): Input {
  if (said !== undefined && said !== id)
    throw badRequest(`The body says id ${said}, the address says ${id}; they must be the same.`);
  return fields;
}

function isObject(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formInput(resource: AnyResource, fields: URLSearchParams, more: FieldTable): Input {
  const input: Input = {};
  const columns = [...resource.columns, ...more];
  for (const name of new Set(fields.keys())) {
    if (name === '__proto__') throw invalid(resource.name, [{ field: name, message: '__proto__ is not allowed' }]);
    const column = columns.find((each) => each.name === name);
    const values = fields.getAll(name);
    const [only] = values;
    if (column?.kind === 'json' && values.length === 1) input[name] = readJson(resource, name, only as string);
    else if (column && isList(column, values, resource)) input[name] = values.map((each) => formValue(column, each));
    else if (values.length > 1)
      throw invalid(resource.name, [{ field: name, message: `${name} is given more than once` }]);
    else input[name] = column ? formValue(column, only as string) : only;
  }
  return input;
}

/** A list given once is a list of one, unless the field itself knows how to read a text. */
function isList(column: FieldRow, values: readonly string[], resource: AnyResource): boolean {
  if (column.kind === 'references') return true;
  if (column.kind !== 'texts') return false;
  return values.length > 1 || metaOf(resource.fields[column.name] as Field).parse === undefined;
}

/** What browsers send for a box that is ticked. */
const checkbox: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
]);

/** What cannot be read stays a text, so that the field's own check names it. */
function formValue(column: FieldRow, value: string): unknown {
  if (column.kind === 'text' || column.kind === 'texts') return value;
  if (value === '') return null;
  if (column.kind === 'flag') return checkbox.get(value) ?? yesOrNo(value) ?? value;
  const numeric = column.kind === 'integer' || column.kind === 'number' || /^references?$/.test(column.kind);
  return numeric && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Structured data is held to the same rules as a body; what is no JSON at all stays a text. */
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
