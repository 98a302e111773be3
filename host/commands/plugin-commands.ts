import {
  type AnyCommand,
  type AnyResource,
  blamePlugin,
  buildCommands,
  buildResources,
  describeFields,
  type FieldDescription,
  parseBoolean,
  readField,
  systemClock,
  throwIfInvalid,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../cli/command-session.ts';
import { fieldValues, offering } from '../cli/completion/offers.ts';
import { isExplained } from '../cli/failure.ts';
import { namedHelp } from '../cli/field-options.ts';
import type { Io } from '../cli/io.ts';
import { print } from '../cli/output.ts';
import { ProgressLine } from '../cli/progress-line.ts';
import { readFiles } from '../cli/read-files.ts';
import { referencedIds } from '../cli/record-id.ts';
import { readSettings } from '../cli/setting-options.ts';
import { flagOf, optionKey } from '../config/setting.ts';
import type { Config } from '../config/settings.ts';
import { loadConfiguredPlugins } from '../plugins/built-in.ts';

/** A command and the plugin that provides it. */
export interface PluginCommand {
  readonly plugin: string;
  readonly command: AnyCommand;
}

/** What plugins add to the program. */
export interface PluginProgram {
  readonly commands: readonly PluginCommand[];
  readonly resources: readonly AnyResource[];
}

/**
 * Loads the commands and the resources of the plugins that the settings name. Only `--config` is read from the command line, because it
 * cannot be parsed before the commands are known.
 * @throws HorariumError `invalid` when settings are wrong or a plugin cannot be loaded.
 */
export async function loadPluginProgram(io: Io): Promise<PluginProgram> {
  const { config } = await readSettings(io, configIn(io.arguments));
  return loadPluginsOf(config, io.folder);
}

/**
 * Loads the commands and the resources of the plugins that settings name.
 * @param folder where relative paths of plugins start.
 * @throws HorariumError `invalid` when one cannot be loaded.
 */
export async function loadPluginsOf(config: Config, folder: string): Promise<PluginProgram> {
  const plugins = await loadConfiguredPlugins(config, { serving: false, folder, clock: systemClock });
  const commands = buildCommands(plugins);
  return {
    commands: [...commands].map((command) => ({ plugin: commands.ownerOf(command.name), command })),
    resources: [...buildResources(plugins).resources].map(({ resource }) => resource),
  };
}

/** Returns the settings file that a command line names; undefined = none. */
export function configIn(line: readonly string[]): string | undefined {
  const index = line.findIndex((word) => word === '--config' || word.startsWith('--config='));
  const word = line[index];
  return word === '--config' ? line[index + 1] : word?.slice('--config='.length);
}

/** Adds a command that a plugin provides. */
export function addPluginCommand(program: Command, cli: Cli, { plugin, command: provided }: PluginCommand): void {
  const { name, summary, arguments: positional = {}, options = {} } = provided;
  const [argumentTable, optionTable] = [describeFields(positional), describeFields(options)];
  const command = addStoreCommand(program, name).description(summary);
  for (const field of argumentTable) addArgument(command, field);
  for (const field of optionTable) command.addOption(optionOf(field));
  command.action(async (...positionalValues: unknown[]) => {
    const optionValues = command.opts<Readonly<Record<string, unknown>>>();
    const given = {
      arguments: Object.fromEntries(argumentTable.map((field, index) => [field.name, positionalValues[index]])),
      options: Object.fromEntries(optionTable.map((field) => [field.name, optionValues[optionKey(field.name)]])),
    };
    const subject = `The command line of ${name}`;
    const plain = {
      arguments: valuesOf(subject, positional, argumentTable.filter(isPlain), given.arguments),
      options: valuesOf(subject, options, optionTable.filter(isPlain), given.options),
    };
    await using session = await cli.open(command);
    const { core, actor } = session;
    const references = {
      arguments: await referencesOf(session, subject, positional, argumentTable, given.arguments),
      options: await referencesOf(session, subject, options, optionTable, given.options),
    };
    const values = {
      arguments: { ...plain.arguments, ...references.arguments },
      options: { ...plain.options, ...references.options },
    };
    await using progress = new ProgressLine(cli.io);
    const output = {
      print: async (value: Parameters<typeof print>[2]) => {
        await progress.end();
        await print(cli.io, command, value);
      },
      write: async (piece: string | Uint8Array) => {
        await progress.end();
        await cli.io.out(piece);
      },
      note: async (sentence: string) => {
        await progress.end();
        await cli.io.err(`${sentence}\n`);
      },
      progress: (done: number, total: number, things: string) => progress.count(done, total, things),
    };
    const context = {
      core,
      actor,
      ...values,
      output,
      serviceUrl: session.serviceUrl,
      folder: cli.io.folder,
      get machineTimezone() {
        return cli.io.systemTimezone;
      },
      readFiles: (names: readonly string[]) => readFiles(cli.io, names),
    };
    await blamePlugin(plugin, isExplained, async () => provided.run(context));
  });
}

function addArgument(command: Command, field: FieldDescription): void {
  const { name, kind, description = '', nullable } = field;
  const placeholder = `${name}${kind === 'texts' ? '...' : ''}`;
  const isOptional = nullable || (kind === 'texts' && !field.min);
  const argument = isOptional ? `[${placeholder}]` : `<${placeholder}>`;
  command.argument(argument, described(description, field));
}

function optionOf(field: FieldDescription): Option {
  const { name, kind, description = '', values, required, default: defaultValue } = field;
  const takesNoValue = kind === 'flag' && defaultValue === false;
  const option = new Option(takesNoValue ? flagOf(name) : `${flagOf(name)} <value>`, described(description, field));
  if (values) option.choices(values);
  if (required) option.makeOptionMandatory();
  if (kind === 'texts') option.argParser((value, all: readonly string[] = []) => [...all, value]);
  return offering(option, { values: fieldValues(field), repeatable: kind === 'texts' });
}

function described(description: string, { references }: FieldDescription): string {
  return [description, references ? namedHelp(references) : ''].filter(Boolean).join('; ');
}

/** Whether the value of a field can be read without the store, in which records are looked up by their names. */
function isPlain({ references }: FieldDescription): boolean {
  return references === undefined;
}

/** Reads the ids of the records that fields name. @throws HorariumError as `referencedIds` and `valuesOf`. */
async function referencesOf(
  session: CommandSession,
  subject: string,
  fields: NonNullable<AnyCommand['options']>,
  table: readonly FieldDescription[],
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const columns = table.filter((field) => !isPlain(field));
  if (columns.length === 0) return {};
  const ids = await referencedIds(session, { columns, company: null }, given, (name) => name);
  return valuesOf(subject, fields, columns, ids);
}

/**
 * Reads the values of fields from the command line.
 * @throws HorariumError `invalid` naming every invalid value; `bad_request` for what is neither yes nor no.
 */
function valuesOf(
  subject: string,
  fields: NonNullable<AnyCommand['options']>,
  table: readonly FieldDescription[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const errors: { field: string; message: string }[] = [];
  const values = table.map((field) => {
    const value = convert(field, given[field.name]);
    return [field.name, value === undefined ? field.default : readField(field.name, fields[field.name], value, errors)];
  });
  throwIfInvalid(subject, errors);
  return Object.fromEntries(values);
}

/** Converts a value of the command line to the type of its field. */
function convert({ name, kind }: FieldDescription, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'flag') return parseBoolean(name, value);
  return kind === 'integer' || kind === 'number' || kind === 'reference' ? Number(value) : value;
}
