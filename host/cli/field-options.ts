import { type AnyResource, badRequest, type FieldDescription, parseJson, recordInput } from '@horarium/core';
import { Option } from 'commander';
import { flagOf, optionKey } from '../config/setting.ts';
import { standardModel } from '../model.ts';
import { fieldValues, offering } from './completion/offers.ts';
import { identifierNames } from './record-id.ts';

/** Builds the command line option of one field: `--max-attempts <value>`. */
export function fieldOption(column: FieldDescription): Option {
  const { name, description, values, kind, required, references, acceptsText } = column;
  const notes = [
    required ? 'required' : '',
    values ? values.join(', ') : '',
    references ? namedHelp(references) : '',
    kind === 'json' ? 'JSON' : '',
    kind === 'instant' ? 'a time such as 2026-11-21T05:00:00Z' : '',
    acceptsText && kind === 'integer' ? 'also with a unit: 30s, 5m, 2h, 1d' : '',
    description ?? '',
    isList(column) ? 'may be repeated' : '',
  ].filter(Boolean);
  const shape = kind === 'flag' ? '<true|false>' : `<${kind === 'json' ? 'json' : 'value'}>`;
  const option = offering(new Option(`${flagOf(name)} ${shape}`, notes.join('; ')), {
    values: fieldValues(column),
    repeatable: isList(column),
  });
  return isList(column) ? option.argParser((value, all: readonly string[] = []) => [...all, value]) : option;
}

/** Describes how a record of a kind is named: `id, code or name of a Company`. */
export function namedHelp(kind: string): string {
  const resource = standardModel.resources.find(({ name }) => name === kind);
  // The fields of a kind that a plugin brings are not known yet.
  const names = resource ? identifierNames(resource) : 'id, code or name';
  return `${names} of ${/^(?!User)[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** Builds the option that names a referenced record in place of its id: `--login <value>` for `--user-id`. */
export function nameOption({ name, namedBy, references }: FieldDescription & { readonly namedBy: string }): Option {
  return new Option(`${flagOf(namedBy)} <value>`, `${namedBy} of a ${references}, in place of ${flagOf(name)}`);
}

function isList({ kind }: FieldDescription): boolean {
  return kind === 'texts' || kind === 'references';
}

/** The fields of a record on a command line, not converted yet. */
export interface FieldTexts {
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** The elements of lists that are JSON, by field; such a field has no texts. */
  readonly lists: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * Reads the fields of a record from their options and from the pairs of `--set`, which takes a list as JSON too.
 * @throws HorariumError `bad_request` for a list that is no JSON, and for one member of an object.
 */
export function fieldTexts(
  resource: AnyResource,
  columns: readonly Pick<FieldDescription, 'name'>[],
  options: Readonly<Record<string, unknown>>,
  set: readonly (readonly [name: string, text: string])[] = [],
): FieldTexts {
  const lists = new Map<string, readonly unknown[]>();
  const fields = new Map<string, string[]>();
  const add = (name: string, texts: readonly string[]) => fields.set(name, [...(fields.get(name) ?? []), ...texts]);
  for (const { name } of columns) {
    const texts = [options[optionKey(name)] ?? []].flat().map(String);
    if (texts.length > 0) add(name, texts);
  }
  for (const [name, text] of set) {
    refuseMember(resource, name);
    const column = resource.columns.find((candidate) => candidate.name === name);
    const list = column && isList(column) ? readJsonList(name, text) : undefined;
    if (list) lists.set(name, list);
    else add(name, [text]);
  }
  const texts = [...fields].filter(([name]) => !lists.has(name));
  return { texts: Object.fromEntries(texts), lists: Object.fromEntries(lists) };
}

/** Refuses the name under which `get` shows one member of an object, because an object is saved as a whole. */
function refuseMember({ columns, names }: AnyResource, name: string): void {
  const [field = '', ...member] = name.split('.');
  if (member.length === 0 || !columns.some((column) => column.name === field && column.kind === 'json')) return;
  throw badRequest(
    `${name} is a member of ${field}, which is saved as a whole: --set '${field}=JSON'. ${names.singular}:get --format json shows what it is now.`,
  );
}

/** Converts the fields of a command line by their kinds; `null` clears a field. @throws HorariumError as `recordInput`. */
export function givenFields(resource: AnyResource, { texts, lists }: FieldTexts): Record<string, unknown> {
  const input = recordInput(resource, { kind: 'form', fields: new Map(Object.entries(texts)) });
  const values = Object.entries(input).map(([name, value]) => [name, value === 'null' ? null : value] as const);
  return Object.fromEntries([...values, ...Object.entries(lists)]);
}

/**
 * Reads a JSON list. Any other text, such as the command `[`, is a value of its own.
 * @throws HorariumError `bad_request` for a text in brackets with commas or quotes that is no JSON: it was meant as a list.
 */
function readJsonList(name: string, given: string): readonly unknown[] | undefined {
  const text = given.trim();
  const list = parsedList(text);
  if (list || !/^\[.*[,"'].*\]$/s.test(text)) return list;
  const elements = text
    .slice(1, -1)
    .split(',')
    .map((element) => element.trim().replace(/^(["'])(.*)\1$/, '$2'));
  throw badRequest(
    `${name} is no JSON list: ${text}. Write ${JSON.stringify(elements)} for a list, ${JSON.stringify([text])} for that text.`,
  );
}

/** Parses a text as a list; undefined for anything else. */
function parsedList(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const { value, errors } = parseJson(text);
    return Array.isArray(value) && errors.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
