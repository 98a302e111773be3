import { type AnyResource, type ListFilters, listParameters, readListInput, summaryFieldsOf } from '@horarium/core';
import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../cli/output-option.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';
import { flagOf, optionKey } from '../config/setting.ts';

/** Times that `--from` and `--to` speak of. */
const periods: Readonly<Record<string, string>> = { Task: 'window_start', AuditLog: 'created_at' };

const notes: Readonly<Record<string, string>> = {
  limit: 'how many at most, 1 to 1000 (100)',
  offset: 'how many to skip',
  after: 'where the page before ended',
  order: 'a field, or -field for the other way round; newest first when left out',
  from: 'from this time on, or from the start of this date',
  to: 'up to this time, or to the end of this date',
};

/** `task:list`: options for everything that a list can be filtered and ordered by. */
export function addListCommand(program: Command, cli: Cli, resource: AnyResource): void {
  const period = periods[resource.name];
  const filters: ListFilters = period === undefined ? {} : { period };
  const command = addStoreCommand(program, `${resource.names.singular}:list`).description(
    `List ${resource.names.plural}, newest first.`,
  );
  const names = listParameters(resource, filters);
  for (const name of names) command.option(`${flagOf(name)} <value>`, notes[name] ?? `only those with this ${name}`);
  command.option('--fields <names>', 'columns of the table, with commas between them', readNames(resource));
  command.action(async () => {
    await using session = await cli.open(command);
    const options = command.opts<Record<string, string>>();
    const query = new Map(
      names.flatMap((name) => {
        const value = options[optionKey(name)];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    const { core, actor } = session;
    const page = await core.records(resource.name).list(actor, readListInput(resource, filters, query, core.timezone));
    const shown = await core.show(resource, page.rows, 'list');
    const columns = command.opts<{ fields?: readonly string[] }>().fields ?? summaryFieldsOf(resource);
    await print(cli.io, command, shown, { columns });
    if (page.next !== null) await cli.io.err(`There is more: --after ${page.next}\n`);
  });
}

function readNames(resource: AnyResource): (given: string) => string[] {
  return (given) => {
    const names = given.split(',').map((name) => name.trim());
    const known = resource.columns.filter((column) => !column.hidden).map((column) => column.name);
    const wrong = names.find((name) => !known.includes(name));
    if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is none of ${known.join(', ')}.`);
    return names;
  };
}
