import { type AnyResource, type FieldRow, recordInput } from '@horarium/core';
import { Option } from 'commander';
import { flagOf, optionKey } from '../config/setting.ts';

/** `--max-attempts <value>`: the option that gives one field. */
export function fieldOption(column: FieldRow): Option {
  const { name, description: note, values, kind, required, references } = column;
  const list = kind === 'texts' || kind === 'references';
  const words = [
    required ? 'required' : '',
    values ? values.join(', ') : '',
    references ? `id of a ${references}` : '',
    kind === 'json' ? 'JSON' : '',
    kind === 'instant' ? 'a time such as 2026-11-21T05:00:00Z' : '',
    note ?? '',
    list ? 'may be repeated' : '',
  ].filter(Boolean);
  const shape = kind === 'flag' ? '<true|false>' : `<${kind === 'json' ? 'json' : 'value'}>`;
  const option = new Option(`${flagOf(name)} ${shape}`, words.join('; '));
  return list ? option.argParser((value, all: readonly string[] = []) => [...all, value]) : option;
}

/** The fields of a record that options give, with further ones as `[name, value]`; `null` clears a field, as in JSON. */
export function givenFields(
  resource: AnyResource,
  columns: readonly FieldRow[],
  options: Readonly<Record<string, unknown>>,
  more: readonly (readonly [string, string])[] = [],
): Record<string, unknown> {
  const given = columns.map(({ name }) => [name, [options[optionKey(name)] ?? []].flat() as string[]] as const);
  const texts = [
    ...given.filter(([, values]) => values.length > 0),
    ...more.map(([name, value]) => [name, [value]] as const),
  ];
  const fields = new Map<string, string[]>();
  for (const [name, values] of texts) fields.set(name, [...(fields.get(name) ?? []), ...values]);
  const input = recordInput(resource, { kind: 'form', fields });
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value === 'null' ? null : value]));
}
