import { type Command, Option } from 'commander';
import { findConfigFile, readConfigFile, systemConfigFile } from '../config/config-file.ts';
import { type Given, type ReadConfig, readConfig } from '../config/read-config.ts';
import { readSecretFiles } from '../config/secret-files.ts';
import { flagOf, optionKey, variableOf } from '../config/setting.ts';
import { type SettingName, settings } from '../config/settings.ts';
import { settingHelp } from '../config/settings-table.ts';
import { offering } from './completion/offers.ts';
import type { Io } from './io.ts';
import { processIo } from './process-io.ts';

/** @param example one of the settings. */
const helpGroupOf = (example: string) =>
  `Settings (in the environment: ${variableOf(example)} and so on, secrets only there; see also: horarium config):`;

/**
 * Adds `--config` and a flag for each of these settings, except secrets.
 * @param ofMachine the settings file that the command reads where none is named; null = none. @default that of the machine
 */
export function addSettingOptions(
  command: Command,
  names: readonly SettingName[],
  ofMachine: string | null = systemConfigFile,
): Command {
  const [first = 'database_url'] = names;
  const helpGroup = helpGroupOf(names.includes('database_url') ? 'database_url' : first);
  const otherwise = ofMachine === null ? '' : `; else ${ofMachine}, if there is one`;
  command.addOption(
    new Option('--config <file>', `YAML file with settings; also HORARIUM_CONFIG${otherwise}`).helpGroup(helpGroup),
  );
  for (const setting of settings) {
    if (setting.secret === 'whole' || !names.includes(setting.name)) continue;
    const option = new Option(`${flagOf(setting.name)} <value>`, settingHelp(setting)).helpGroup(helpGroup);
    command.addOption(offering(option, { values: setting.values ?? [], files: setting.path ?? false }));
  }
  return command;
}

/** What settings are read from. */
type SettingsIo = Pick<Io, 'environment' | 'folder' | 'machine' | 'configFile'> & Pick<Given, 'refusal'>;

export const everySetting = settings.map((setting) => setting.name);

/**
 * Reads the effective settings of a command, and warns of secrets on its command line.
 * @throws HorariumError `invalid` with a sentence for each that is wrong.
 */
export async function readCommandSettings(command: Command, io: SettingsIo & Pick<Io, 'err'>): Promise<ReadConfig> {
  const result = await readSettingsOf(command, io);
  for (const warning of result.warnings) await io.err(`${warning}\n`);
  return result;
}

/** Reads the effective settings of a command. @throws HorariumError `invalid` with a sentence for each that is wrong. */
export function readSettingsOf(command: Command, io: SettingsIo): Promise<ReadConfig> {
  const options = command.opts<Readonly<Record<string, string | undefined>>>();
  const flags = Object.fromEntries(settings.map(({ name }) => [name, options[optionKey(name)]]));
  return readSettings(io, options['config'], flags);
}

/**
 * Reads the effective settings from a file, the environment, files of secrets and flags; by default those of this process.
 * @param path of the settings file. @default the one that HORARIUM_CONFIG names, or else that of the machine, if there is one
 * @throws HorariumError `invalid` with a sentence for each setting that is wrong.
 */
export async function readSettings(
  { environment, folder, machine, configFile, refusal }: SettingsIo = processIo(),
  path?: string,
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<ReadConfig> {
  const found = path ?? (await findConfigFile(environment, configFile));
  const file = found === undefined ? undefined : await readConfigFile(found, folder);
  const secretFiles = await readSecretFiles(environment, folder, file);
  return readConfig({ ...(file && { file }), secretFiles, environment, flags, machine, refusal });
}
