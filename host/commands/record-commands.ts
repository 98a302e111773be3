import {
  type AnyResource,
  computedColumns,
  type FieldDescription,
  listParameters,
  namingFieldsOf,
  nounsOf,
  readListInput,
  summaryFieldsOf,
  takesSeveral,
  User,
  withoutComputedFields,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { appendAssignment, exposedSecretWarning } from '../cli/arguments.ts';
import { addStoreCommand, type Cli, type CommandSession, openPluginSession } from '../cli/command-session.ts';
import { fieldValues, offering } from '../cli/completion/offers.ts';
import { fieldOption, fieldTexts, nameOption } from '../cli/field-options.ts';
import type { Io } from '../cli/io.ts';
import { type OutputFormat, printWarnings } from '../cli/output.ts';
import { readJsonFile } from '../cli/read-files.ts';
import { recordArgument, recordIdHelp, recordIdOf, referencedIds } from '../cli/record-id.ts';
import { printRecord, printRecords } from '../cli/records/print-records.ts';
import { referenceKindOf } from '../cli/records/reference-kind.ts';
import { savedFields } from '../cli/records/saved-fields.ts';
import { flagOf, optionKey } from '../config/setting.ts';
import { standardModel } from '../model.ts';

export interface RecordCommandOptions {
  /** Writes what else is to be known of listed records, beside their table. @default nothing is */
  readonly noteOnList?:
    | ((session: CommandSession, io: Io, records: readonly Readonly<Record<string, unknown>>[]) => Promise<void>)
    | undefined;
}

/** Adds a command for each operation of a resource: `app:list`, `app:get`, `app:save`, `app:delete`. */
export function addRecordCommands(
  program: Command,
  cli: Cli,
  resource: AnyResource,
  { noteOnList }: RecordCommandOptions = {},
): void {
  for (const operation of resource.operations) addCommand[operation](program, cli, resource, noteOnList);
}

const addCommand = { list: addList, get: addGet, save: addSave, delete: addDelete } as const;

const parameterHelp: Readonly<Record<string, string>> = {
  limit: 'page size, 1 to 1000 (default: 100)',
  offset: 'number of records to skip, at most 10000',
  after: 'cursor that the previous page ended with',
  order: 'a field, or -field for descending; newest first if it is left out',
  from: 'from this time on, or from the start of this date',
  to: 'up to this time, or to the end of this date',
};

/** Adds `task:list`, with an option for each query parameter of the list in the HTTP API. */
function addList(
  program: Command,
  cli: Cli,
  resource: AnyResource,
  noteOnList?: RecordCommandOptions['noteOnList'],
): void {
  const command = addStoreCommand(program, `${resource.names.singular}:list`).description(
    `List ${nounsOf(resource).many}, newest first.`,
  );
  const parameters = listParameters(resource);
  const resources = [...(cli.io.model ?? standardModel).resources, resource];
  for (const name of parameters) command.addOption(parameterOption(resource, name, resources));
  const fields = new Option('--fields <names>', 'columns of the table and of csv, separated by commas');
  command.addOption(offering(fields, { values: shownColumns(resource), separated: true }));
  // Of the records themselves, the filter `id` takes names too.
  const ownId = (column: FieldDescription) =>
    column.name === 'id' ? { ...column, references: resource.name } : column;
  const filters = { company: resource.company, columns: resource.columns.map(ownId) };
  command.action(async () => {
    const chosen = await chosenColumns(command, cli, resource);
    await using session = await cli.open(command);
    const options = await referencedIds(
      session,
      filters,
      await severalNames(session, filters, command.opts()),
      optionKey,
    );
    const query = new Map(
      parameters.flatMap((name) => {
        const value = options[optionKey(name)];
        return value === undefined ? [] : [[name, String(value)] as const];
      }),
    );
    const { core, actor } = session;
    const listed = core.records(resource.name);
    // The resource of the core, because its filters know the names of the resources of plugins.
    const page = await listed.list(actor, readListInput(listed.resource, query, core.timezone));
    const records = await core.forChannels.serialize(resource, page.rows, 'list');
    const columns = chosen ?? summaryFieldsOf(resource);
    await printRecords(session, cli.io, command, { resource, records, columns, csvColumns: chosen });
    if (command.opts<{ format: OutputFormat }>().format === 'table') await noteOnList?.(session, cli.io, records);
    if (page.next !== null) await cli.io.err(`The next page: --after ${page.next}\n`);
  });
}

/** Splits the names of several records in a filter, `a,b`, unless one record has all of it as its name. */
async function severalNames(
  session: CommandSession,
  filters: Pick<AnyResource, 'columns' | 'company'>,
  options: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const split: Record<string, unknown> = { ...options };
  for (const { name } of filters.columns) {
    const value = options[optionKey(name)];
    const kind = referenceKindOf(filters, name, (type) => options[optionKey(type)]);
    const resource = session.core.resources.find((each) => each.name === kind);
    if (!resource || typeof value !== 'string' || !value.includes(',')) continue;
    const isOne = await recordIdOf(session, resource, value).then(
      () => true,
      () => false,
    );
    if (!isOne) split[optionKey(name)] = value.split(',').map((each) => each.trim());
  }
  return split;
}

function parameterOption(resource: AnyResource, name: string, resources: readonly AnyResource[]): Option {
  const column = resource.columns.find((each) => each.name === name);
  const kind = name === 'id' ? resource.name : referenceKindOf(resource, name, () => undefined);
  const target = resources.find((each) => each.name === kind && namingFieldsOf(each).length > 0);
  const values = column?.values;
  const isSeparated = column !== undefined && takesSeveral(column);
  const several = isSeparated ? ', or by several separated by commas' : '';
  const meaning = values?.join(', ') ?? (target && recordIdHelp(target));
  const filter = `filter by ${name}${several}${meaning === undefined ? '' : `: ${meaning}`}`;
  const option = new Option(`${flagOf(name)} <value>`, parameterHelp[name] ?? filter);
  return offering(option, { values: column ? fieldValues(column) : [], separated: isSeparated });
}

function shownColumns(resource: AnyResource): string[] {
  const stored = resource.columns.filter((column) => !column.hidden);
  return [...stored, ...computedColumns(resource, 'list')].map((column) => column.name);
}

/**
 * Reads `--fields`; undefined where it is left out. Plugins, which may add fields to the records of others, are loaded only for a
 * name that is not known otherwise.
 * @throws CommanderError for a name that is no column.
 */
async function chosenColumns(command: Command, cli: Cli, resource: AnyResource): Promise<string[] | undefined> {
  const { fields: text } = command.opts<{ fields?: string }>();
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const own = shownColumns(resource);
  const known = names.every((name) => fieldNamed(own, name) !== undefined)
    ? own
    : await allColumns(command, cli, resource);
  return names.map(
    (name) =>
      fieldNamed(known, name) ??
      command.error(
        `error: option '--fields <names>' argument '${text}' is invalid. ${name} is not a column; the columns are ${known.join(', ')}.`,
      ),
  );
}

/** Returns the field that a name or a heading means: the heading of a reference is the field without its end. */
function fieldNamed(known: readonly string[], name: string): string | undefined {
  return [name, `${name}_id`].find((field) => known.includes(field));
}

/** The columns of a resource with those that plugins add. */
async function allColumns(command: Command, { io }: Cli, resource: AnyResource): Promise<string[]> {
  await using session = await openPluginSession(command, io);
  return shownColumns(session.resources.find(({ name }) => name === resource.name) ?? resource);
}

/** Adds `app:get ID`. */
function addGet(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular } = resource.names;
  const { one } = nounsOf(resource);
  const command = addStoreCommand(program, `${singular}:get`)
    .description(`Show ${one}.`)
    .argument('<id>', recordIdHelp(resource), recordArgument(resource));
  command.action(async (given: string) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const row = await core.records(resource.name).get(actor, await recordIdOf(session, resource, given));
    const [record] = await core.forChannels.serialize(resource, [row], 'item');
    await printRecord(session, cli.io, command, { resource, record: record as Record<string, unknown> });
  });
}

interface SaveOptions {
  readonly id?: string;
  readonly set: readonly (readonly [string, string])[];
  readonly json?: string;
  readonly dryRun?: boolean;
}

const dryRunHelp = 'change nothing, and tell what would be created, updated and deleted';

/** Adds `app:save`. Each writable field has an option, except secrets: other users can read arguments in the list of processes. */
function addSave(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular } = resource.names;
  const { one, noun } = nounsOf(resource);
  const key = resource.key.length > 0 ? ` or ${resource.key.join(' and ')}` : '';
  const command = addStoreCommand(program, `${singular}:save`)
    .description(`Create ${one}, or change one by id${key}.`)
    .option('--id <id>', `change this ${noun}: ${recordIdHelp(resource)}`, recordArgument(resource))
    .addOption(
      offering(new Option('--set <field=value>', 'any field; may be repeated'), { repeatable: true })
        .argParser(appendAssignment('field=value'))
        .default([], 'none'),
    )
    .option(
      '--json <file>',
      `fields from a file with a JSON object, such as ${singular}:get --format json prints; - reads standard input`,
    )
    .option('--dry-run', dryRunHelp);
  const taken = new Set(command.options.map((option) => option.long));
  const columns = resource.columns.filter(
    (column) => isWritable(column) && !column.secret && !taken.has(flagOf(column.name)),
  );
  for (const column of columns) command.addOption(fieldOption(column));
  const secrets = resource.columns.filter((column) => isWritable(column) && column.secret);
  for (const { name } of secrets) command.addOption(new Option(`${flagOf(name)} [value]`, 'refused').hideHelp());
  const named = columns.filter((column) => column.namedBy !== undefined) as (FieldDescription & { namedBy: string })[];
  for (const column of named) command.addOption(nameOption(column));
  const inputs = [...columns, ...named.map(({ namedBy: name }) => ({ name }))];
  command.action(async () => {
    const options = command.opts<SaveOptions & Record<string, unknown>>();
    for (const { name } of secrets)
      if (options[optionKey(name)] !== undefined) command.error(refusedSecret(resource, name));
    const file = options.json === undefined ? {} : await readJsonFile(cli.io, options.json);
    for (const name of secretsAssigned(resource, options.set)) await cli.io.err(exposedSecretWarning(name, '--set'));
    await using session = await cli.open(command);
    const { id, fields } = await savedFields(session, resource, {
      named: options.id,
      fromFile: withoutComputedFields(session.core.records(resource.name).resource, file),
      fromOptions: fieldTexts(resource, inputs, options, options.set),
    });
    const { row, record, consequences } = options.dryRun
      ? await trySave(session, resource, fields, { id })
      : await saveRecord(session, resource, fields, { id });
    await printRecord(session, cli.io, command, {
      resource,
      record: record as Record<string, unknown>,
      onlySet: true,
    });
    await printWarnings(cli.io, { warnings: [...consequences, ...row.warnings] });
    if (!options.dryRun) await cli.io.err(`${resource.name} ${row.id} is ${row.created ? 'created' : 'saved'}.\n`);
  });
}

/** Refuses a secret in an argument, without showing it, and says how it is given instead. */
function refusedSecret({ name: resource, names }: AnyResource, name: string): string {
  const instead =
    resource === User.name
      ? `${names.singular}:password LOGIN asks for it`
      : `--json FILE takes ${name} from a file or from standard input`;
  return `error: ${flagOf(name)} is refused, because every user of this machine can read arguments: ${instead}.`;
}

interface SavedAs {
  readonly id: number | undefined;
}

async function saveRecord({ core, actor }: CommandSession, resource: AnyResource, given: object, options: SavedAs) {
  const row = await core.records(resource).save(actor, given, options);
  const [record] = await core.forChannels.serialize(resource, [row], 'item');
  return { row, record, consequences: [] };
}

async function trySave({ core, actor }: CommandSession, resource: AnyResource, given: object, options: SavedAs) {
  const records = core.records(resource);
  const hashes = await records.hashPasswords(actor, given, options);
  const { result, consequences } = await core.store.dryRun(actor, async (tables) => {
    const row = await records.saveIn(tables, actor, given, { ...options, hashes });
    const [record] = await core.forChannels.serialize(resource, [row], 'item', tables);
    return { row, record };
  });
  return { ...result, consequences };
}

function isWritable(column: FieldDescription): boolean {
  return !column.readOnly && !column.hidden && column.kind !== 'binary';
}

/** Returns the names of the secret fields that `--set` assigns. */
function secretsAssigned({ columns }: AnyResource, set: SaveOptions['set']): string[] {
  return set.map(([name]) => name).filter((name) => columns.some((column) => column.name === name && column.secret));
}

/** Adds `app:delete ID`. */
function addDelete(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular } = resource.names;
  const { one, noun } = nounsOf(resource);
  const command = addStoreCommand(program, `${singular}:delete`)
    .description(`Delete ${one}.`)
    .argument('<id>', recordIdHelp(resource), recordArgument(resource))
    .option('--cascade', `also delete the records that refer to this ${noun}, and those that refer to them`)
    .option('--dry-run', dryRunHelp);
  command.action(async (given: string) => {
    const { cascade = false, dryRun = false } = command.opts<{ cascade?: boolean; dryRun?: boolean }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const records = core.records(resource.name);
    const id = await recordIdOf(session, resource, given);
    if (dryRun) {
      const { consequences } = await core.store.dryRun(actor, (tables) =>
        records.deleteIn(tables, actor, id, { cascade }),
      );
      await printWarnings(cli.io, { warnings: consequences });
      return;
    }
    await records.delete(actor, id, { cascade });
    await cli.io.err(`${resource.name} ${id} is deleted.\n`);
  });
}
