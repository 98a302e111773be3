import { type AnyResource, AuditTrail, allResources, didYouMean, type FieldRow, HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';

/** Every kind of record that has fields of its own. */
const described: readonly AnyResource[] = [...allResources, AuditTrail];

export function addDescribeCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('describe'))
    .description('Show the kinds of records, or the fields of one.')
    .argument('[resource]', 'such as RunTemplate or runtemplate');
  command.action(async (name?: string) => {
    if (name === undefined) await print(io, command, described.map(describe));
    else await print(io, command, fieldsOf(resourceNamed(name)));
  });
}

function describe(resource: AnyResource) {
  const { name, words, note, operations, key } = resource;
  return { name, command: words.one, key: key.join(', '), operations: operations.join(', '), note };
}

function fieldsOf(resource: AnyResource) {
  return resource.columns.filter((column) => !column.hidden).map(field);
}

function field(column: FieldRow) {
  const { name, kind, values, references, note } = column;
  const marks = (['required', 'readOnly', 'fixed', 'unique', 'secret'] as const).filter((mark) => column[mark]);
  return {
    field: name,
    kind: references ? `${kind} ${references}` : kind,
    marks: marks.map((mark) => (mark === 'readOnly' ? 'read-only' : mark)).join(', '),
    default: column.default,
    values: values?.join(', ') ?? range(column),
    note: note ?? '',
  };
}

function range({ kind, min, max, pattern }: FieldRow): string {
  if (kind === 'text')
    return [max === undefined ? '' : `≤ ${max} characters`, pattern ?? ''].filter(Boolean).join(', ');
  const real = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  return [real(min) ? `≥ ${min}` : '', real(max) ? `≤ ${max}` : ''].filter(Boolean).join(', ');
}

/** By its name or its word, whatever the case. */
function resourceNamed(given: string): AnyResource {
  const wanted = given.toLowerCase();
  const found = described.find(({ name, words }) => [name.toLowerCase(), words.one, words.many].includes(wanted));
  if (found) return found;
  const names = described.map(({ name }) => name);
  throw new HorariumError('bad_request', `There is no resource ${given}.${didYouMean(given, names)}`);
}
