import type { AnyResource, FieldRow } from '@horarium/core';
import { Option } from 'commander';
import { recordInput } from '../../adapters/http/request/record-input.ts';
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

/** What those options say of a record, with further fields as `[name, value]`; `null` clears a field, as it does in JSON. */
export function givenFields(
  resource: AnyResource,
  columns: readonly FieldRow[],
  options: Readonly<Record<string, unknown>>,
  more: readonly (readonly [string, string])[] = [],
): Record<string, unknown> {
  const form = new URLSearchParams();
  for (const { name } of columns)
    for (const value of [options[optionKey(name)] ?? []].flat()) form.append(name, value as string);
  for (const [name, value] of more) form.append(name, value);
  const input = recordInput(resource, { kind: 'form', fields: form });
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value === 'null' ? null : value]));
}
