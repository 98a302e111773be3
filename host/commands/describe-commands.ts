import {
  type AnyResource,
  computedColumns,
  didYouMean,
  type FieldDescription,
  HorariumError,
  isStartedHere,
  permissionRows,
  type TableDescription,
  tablesOf,
} from '@horarium/core';
import { Argument, type Command } from 'commander';
import { openPluginSession } from '../cli/command-session.ts';
import { offering } from '../cli/completion/offers.ts';
import type { Io } from '../cli/io.ts';
import { addFormatOption, print } from '../cli/output.ts';
import { addSettingOptions } from '../cli/setting-options.ts';
import { standardModel } from '../model.ts';

/** Adds `describe`, `permissions`, `variables` and `schema`, which describe the service without a store. */
export function addDescribeCommands(program: Command, io: Io): void {
  addDescribe(program, io);
  addPermissions(program, io);
  addVariables(program, io);
  addSchema(program, io);
}

function addDescribe(program: Command, io: Io): void {
  const known = (io.model ?? standardModel).resources.map(({ names }) => names.singular);
  const resource = offering(new Argument('[resource]', 'such as RunTemplate or runtemplate'), { values: known });
  const command = addFormatOption(program.command('describe'))
    .description('Show the resources, or the fields of one.')
    .addArgument(resource);
  addSettingOptions(command, ['plugins']).action(async (name?: string) => {
    await using session = await openPluginSession(command, io);
    const { resources } = session;
    if (name === undefined) await print(io, command, resources.map(resourceRow));
    else await print(io, command, shownFields(resourceNamed(name, resources)).map(fieldRow));
  });
}

function resourceRow({ name, names, description: note, operations, key }: AnyResource) {
  return { name, command: names.singular, key: key.join(', '), operations: operations.join(', '), note };
}

function shownFields(resource: AnyResource): FieldDescription[] {
  return [...resource.columns.filter((column) => !column.hidden), ...computedColumns(resource, 'item')];
}

/** Finds a resource by its name, singular or plural, in either case. */
function resourceNamed(given: string, resources: readonly AnyResource[]): AnyResource {
  const lowerCase = given.toLowerCase();
  const resource = resources.find(({ name, names: { singular, plural } }) =>
    [name.toLowerCase(), singular, plural].includes(lowerCase),
  );
  if (resource) return resource;
  const names = resources.map(({ name }) => name);
  throw new HorariumError('bad_request', `There is no resource ${given}.${didYouMean(given, names)}`);
}

/** Describes a field in one row, for people. */
export function fieldRow(column: FieldDescription) {
  const { name, kind, values, references, description } = column;
  const marks = (['required', 'readOnly', 'immutable', 'unique', 'secret', 'restricts'] as const).filter(
    (mark) => column[mark],
  );
  return {
    field: name,
    kind: references ? `${kind} ${references}` : kind,
    marks: marks.map((mark) => (mark === 'readOnly' ? 'read-only' : mark)).join(', '),
    default: column.default,
    values: values?.join(', ') ?? range(column),
    note: description ?? '',
  };
}

function range({ kind, min, max, pattern }: FieldDescription): string {
  if (kind === 'text')
    return [max === undefined ? '' : `≤ ${max} characters`, pattern ?? ''].filter(Boolean).join(', ');
  const unit = kind === 'texts' ? ' entries' : '';
  const isSet = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  return [isSet(min) ? `≥ ${min}${unit}` : '', isSet(max) ? `≤ ${max}${unit}` : ''].filter(Boolean).join(', ');
}

function addPermissions(program: Command, io: Io): void {
  const command = addFormatOption(program.command('permissions')).description('Show who may do what.');
  addSettingOptions(command, ['plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    const rows = permissionRows(session.resources).map((row) => ({ ...row }));
    await print(io, command, rows);
  });
}

function addVariables(program: Command, io: Io): void {
  const command = addFormatOption(program.command('variables')).description(
    'Show the environment variables that no job can declare. They make programs load or run code.',
  );
  addSettingOptions(command, ['plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    const executors = [...session.registries.executors].filter(isStartedHere);
    const rows = executors.flatMap(({ name: executor, forbiddenVariables = [] }) =>
      forbiddenVariables.flatMap(({ names, programs, effect, ignoresCase = false }) =>
        names.map((variable) => ({ variable, executor, because: `${programs} ${effect}`, any_case: ignoresCase })),
      ),
    );
    await print(io, command, rows);
  });
}

function addSchema(program: Command, io: Io): void {
  const command = addFormatOption(program.command('schema')).description(
    'Show the tables of the store and their columns.',
  );
  addSettingOptions(command, ['plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    const tables = tablesOf(session.resources);
    const rows = tables.flatMap((table) => table.columns.map((column) => columnRow(tables, table, column)));
    await print(io, command, rows);
  });
}

function columnRow(tables: readonly TableDescription[], table: TableDescription, column: FieldDescription) {
  const { name, kind, nullable, secret, references, foreignKey } = column;
  const target = tables.find((candidate) => candidate.name === references);
  const isForeignKey = target && kind === 'reference' && foreignKey !== false;
  return {
    table: table.table,
    column: name,
    kind,
    nullable,
    index: indexOf(table, name),
    references: isForeignKey ? target.table : null,
    secret: secret ?? null,
  };
}

/** Describes the indexes that begin with a column. */
function indexOf({ unique, indexes }: TableDescription, column: string): string | null {
  if (column === 'id') return 'primary key';
  const describeGroups = (groups: readonly (readonly string[])[], kind: string) =>
    groups
      .filter(([first]) => first === column)
      .map(([, ...others]) => (others.length > 0 ? `${kind} with ${others.join(', ')}` : kind));
  return [...describeGroups(unique, 'unique'), ...describeGroups(indexes, 'indexed')].join('; ') || null;
}
