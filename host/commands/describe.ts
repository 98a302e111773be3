import { type AnyResource, AuditTrail, allResources, didYouMean, HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import { describeField } from '../cli/describe-field.ts';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';

/** Every kind of record that has fields of its own. */
const described: readonly AnyResource[] = [...allResources, AuditTrail];

/** `describe [RESOURCE]` */
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
  const { name, names: words, description: note, operations, key } = resource;
  return { name, command: words.singular, key: key.join(', '), operations: operations.join(', '), note };
}

function fieldsOf(resource: AnyResource) {
  return resource.columns.filter((column) => !column.hidden).map(describeField);
}

/** By its name or its word, whatever the case. */
function resourceNamed(given: string): AnyResource {
  const wanted = given.toLowerCase();
  const found = described.find(({ name, names: words }) =>
    [name.toLowerCase(), words.singular, words.plural].includes(wanted),
  );
  if (found) return found;
  const names = described.map(({ name }) => name);
  throw new HorariumError('bad_request', `There is no resource ${given}.${didYouMean(given, names)}`);
}
