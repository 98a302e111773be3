import { allTables, type FieldRow, type TableDescription } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';

/** `schema`: the tables as the descriptions say, without a store. */
export function addSchemaCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('schema')).description('Show the tables of the store and their columns.');
  command.action(() =>
    print(
      io,
      command,
      allTables.flatMap((table) => table.columns.map((each) => row(table, each))),
    ),
  );
}

function row(table: TableDescription, column: FieldRow) {
  const { name, kind, nullable, secret, references, loose } = column;
  const target = allTables.find((each) => each.name === references);
  const points = target && kind === 'reference' && !loose;
  return {
    table: table.table,
    column: name,
    kind,
    nullable,
    index: indexOf(table, name),
    references: points ? target.table : null,
    secret: secret ?? null,
  };
}

/** The index that begins with this column, in words. */
function indexOf({ unique, indexes }: TableDescription, column: string): string | null {
  if (column === 'id') return 'primary key';
  const within = (groups: readonly (readonly string[])[], word: string) =>
    groups
      .filter(([first]) => first === column)
      .map(([, ...others]) => (others.length > 0 ? `${word} with ${others.join(', ')}` : word));
  return [...within(unique, 'unique'), ...within(indexes, 'indexed')].join('; ') || null;
}
