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
import { readIdArgument } from '../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { fieldValues, offering } from '../cli/completion/offers.ts';
import { isExplained } from '../cli/failure.ts';
import type { Io } from '../cli/io.ts';
import { print } from '../cli/output.ts';
import { ProgressLine } from '../cli/progress-line.ts';
import { readFiles } from '../cli/read-files.ts';
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

function configIn(line: readonly string[]): string | undefined {
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
    const values = {
      arguments: valuesOf(
        `The command line of ${name}`,
        positional,
        argumentTable,
        (_field, index) => positionalValues[index],
      ),
      options: valuesOf(
        `The command line of ${name}`,
        options,
        optionTable,
        (field) => optionValues[optionKey(field.name)],
      ),
    };
    await using session = await cli.open(command);
    const { core, actor } = session;
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
      folder: cli.io.folder,
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
  if (kind === 'reference') command.argument(argument, description, readIdArgument);
  else command.argument(argument, description);
}

function optionOf(field: FieldDescription): Option {
  const { name, kind, description = '', values, required, default: defaultValue } = field;
  const takesNoValue = kind === 'flag' && defaultValue === false;
  const option = new Option(takesNoValue ? flagOf(name) : `${flagOf(name)} <value>`, description);
  if (values) option.choices(values);
  if (required) option.makeOptionMandatory();
  if (kind === 'texts') option.argParser((value, all: readonly string[] = []) => [...all, value]);
  return offering(option, { values: fieldValues(field), repeatable: kind === 'texts' });
}

/**
 * Reads the values of fields from the command line.
 * @throws HorariumError `invalid` naming every invalid value; `bad_request` for what is neither yes nor no.
 */
function valuesOf(
  subject: string,
  fields: NonNullable<AnyCommand['options']>,
  table: readonly FieldDescription[],
  inputOf: (field: FieldDescription, index: number) => unknown,
): Record<string, unknown> {
  const errors: { field: string; message: string }[] = [];
  const values = table.map((field, index) => {
    const value = convert(field, inputOf(field, index));
    return [field.name, value === undefined ? field.default : readField(field.name, fields[field.name], value, errors)];
  });
  throwIfInvalid(subject, errors);
  return Object.fromEntries(values);
}

/** Converts a value of the command line to the type of its field. */
function convert({ name, kind }: FieldDescription, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'flag') return parseBoolean(name, value);
  return kind === 'integer' || kind === 'number' ? Number(value) : value;
}
