import type { AnyResource, FieldRow } from '@horarium/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { fieldOption, givenFields } from '../cli/field-options.ts';
import { readIdArgument } from '../cli/id-argument.ts';
import { print } from '../cli/output-option.ts';
import { readJsonFile } from '../cli/read-json-file.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';
import { flagOf } from '../config/setting.ts';

interface SaveOptions {
  readonly id?: number;
  readonly set: readonly (readonly [string, string])[];
  readonly json?: string;
}

/** `app:save`: an option for each field that may be written, but for secrets, which others could see in the list of processes. */
export function addSaveCommand(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular: one } = resource.names;
  const key = resource.key.length > 0 ? ` or this ${resource.key.join(' and ')}` : '';
  const command = addStoreCommand(program, `${one}:save`)
    .description(`Create one ${one}, or change the one that has the id${key}.`)
    .option('--id <id>', `change this ${one}`, readIdArgument)
    .addOption(new Option('--set <field=value>', 'any field; may be repeated').argParser(readPair).default([], 'none'))
    .option('--json <file>', 'fields from a file with a JSON object; - reads the input');
  const taken = new Set(command.options.map((option) => option.long));
  const columns = resource.columns.filter(
    (column) => isWritable(column) && !column.secret && !taken.has(flagOf(column.name)),
  );
  for (const column of columns) command.addOption(fieldOption(column));
  command.action(async () => {
    const options = command.opts<SaveOptions & Record<string, unknown>>();
    const { id, ...fromFile } = options.json === undefined ? {} : await readJsonFile(cli.io, options.json);
    const given = { ...fromFile, ...givenFields(resource, columns, options, options.set) };
    for (const name of exposed(resource, options.set))
      await cli.io.err(
        `Warning: every user of this machine can read the ${name} in --set; --json keeps it to itself.\n`,
      );
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { row, created } = await core
      .records(resource)
      .save(actor, given, { id: options.id ?? (id as number | undefined) });
    const [shown] = await core.show(resource, [row], 'item');
    await print(cli.io, command, shown as Record<string, unknown>);
    await cli.io.err(`${resource.name} ${row.id} is ${created ? 'created' : 'saved'}.\n`);
  });
}

function isWritable(column: FieldRow): boolean {
  return !column.readOnly && !column.hidden && column.kind !== 'binary';
}

/** The secrets among the arguments. */
function exposed({ columns }: AnyResource, set: SaveOptions['set']): string[] {
  return set.map(([name]) => name).filter((name) => columns.some((column) => column.name === name && column.secret));
}

function readPair(given: string, before: readonly (readonly [string, string])[]) {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must look like field=value.');
  return [...before, [given.slice(0, at), given.slice(at + 1)] as const];
}
