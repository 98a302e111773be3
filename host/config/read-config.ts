import { didYouMean, type FieldError, HorariumError } from '@horarium/core';
import type { SettingsFile } from './config-file.ts';
import { type SecretFiles, secretSettings } from './secret-files.ts';
import { fileKeyOf, fileVariableOf, flagOf, type Machine, type Setting, variableOf, WrongValue } from './setting.ts';
import { type Config, type SettingName, settings } from './settings.ts';

/** The sources of settings; later ones win. */
export interface Given {
  readonly file?: SettingsFile;
  /** @default none */
  readonly secretFiles?: SecretFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By setting name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  /**
   * Returns why a setting may not be set for this program, as the rest of a sentence about it; null = it may. The value of one that
   * may not is never read. @default each may
   */
  readonly refusal?: ((name: SettingName) => string | null) | undefined;
}

/** A setting with its effective value, and its source. */
export interface Effective {
  readonly setting: Setting & { readonly name: SettingName };
  readonly text: string | null;
  /** `default`, `environment`, `flag`, or the path of the settings file or of the secret's own. */
  readonly source: string;
}

export interface ReadConfig {
  readonly config: Config;
  readonly effective: readonly Effective[];
  /** A sentence for each secret on the command line, where every user of the machine can read it. It does not show the secret. */
  readonly warnings: readonly string[];
  /** A sentence for each file of a secret that every user of the machine can read. */
  readonly fileWarnings: readonly string[];
}

/**
 * Variables that begin with HORARIUM_ and are not settings: the path of the settings file, and the environment of jobs,
 * which may call the CLI.
 */
const otherVariables = new Set(
  [
    'CONFIG',
    'JOB_ID',
    'TASK_ID',
    'RUNTEMPLATE_ID',
    'COMPANY_CODE',
    'WINDOW_START',
    'WINDOW_END',
    'DEADLINE',
    'ATTEMPT',
    'WORKDIR',
    'PING_URL',
    'PROGRESS_FILE',
  ].map((name) => `HORARIUM_${name}`),
);

/**
 * Reads and checks every setting.
 * @throws HorariumError `invalid` with a sentence for each wrong or unknown setting.
 */
export function readConfig(given: Given): ReadConfig {
  const { warnings: fileWarnings = [], errors: unusableFiles = [] } = given.secretFiles ?? {};
  const errors: FieldError[] = [...unknownVariables(given.environment), ...unknownKeys(given.file)];
  const effective = settings.map((setting) => findValue(setting, given));
  const config: Record<string, unknown> = {};
  for (const entry of effective) {
    const { name } = entry.setting;
    const unusable = unusableFiles.filter(({ field }) => field === name);
    const isSet = entry.source !== 'default' || unusable.length > 0;
    const refusal = isSet ? (given.refusal?.(name) ?? null) : null;
    if (refusal !== null) {
      errors.push({ field: name, message: `${nameOf(entry)} ${refusal}` });
      continue;
    }
    errors.push(...unusable);
    try {
      config[entry.setting.name] = entry.text === null ? null : entry.setting.read(entry.text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      errors.push({ field: entry.setting.name, message: wrongValueMessage(entry, error.message) });
    }
  }
  if ((config['tls_cert'] === null) !== (config['tls_key'] === null))
    errors.push({ field: 'tls_key', message: 'HORARIUM_TLS_CERT and HORARIUM_TLS_KEY must be set together.' });
  if (errors.length > 0 || !isComplete(config))
    throw new HorariumError('invalid', errors.map((error) => error.message).join('\n'), errors);
  return { config, effective, warnings: exposedFlags(effective), fileWarnings };
}

/** Whether every setting was read; each that could not be read has left an error. */
function isComplete(config: Readonly<Record<string, unknown>>): config is Config {
  return settings.every(({ name }) => name in config);
}

function findValue(
  setting: Effective['setting'],
  { file, secretFiles, environment, flags, machine }: Given,
): Effective {
  const flag = flags[setting.name];
  if (flag !== undefined) return { setting, text: flag, source: 'flag' };
  const variable = environment[variableOf(setting.name)];
  // Shells and compose files unset a variable by an empty value.
  if (variable !== undefined && variable !== '') return { setting, text: variable, source: 'environment' };
  const secret = secretFiles?.values[setting.name];
  if (secret) return { setting, text: secret.text, source: secret.path };
  const fileValue = file?.values[setting.name];
  if (file && fileValue !== undefined) return { setting, text: fileValue, source: file.path };
  const defaultValue = typeof setting.default === 'function' ? setting.default(machine) : setting.default;
  return { setting, text: defaultValue, source: 'default' };
}

/** Names a setting as it was set. */
function nameOf({ setting: { name }, source }: Effective): string {
  const names = { environment: variableOf(name), flag: flagOf(name), default: name };
  return names[source as keyof typeof names] ?? `${name} in ${source}`;
}

function wrongValueMessage(entry: Effective, reason: string): string {
  const { setting, text } = entry;
  return `${nameOf(entry)} must be ${setting.expected ?? 'a text'}, not ${quoteWrongValue(setting, text ?? '')}${reason ? `: ${reason}` : ''}.`;
}

/**
 * Writes an invalid value for a message; hides it where it is a secret, or may hold one that cannot be found and masked.
 */
function quoteWrongValue({ secret, show }: Setting, text: string): string {
  const masked = show?.(text) ?? text;
  return secret === 'whole' || (show && masked === text && /@|password/i.test(text)) ? 'what it is set to' : masked;
}

function unknownVariables(environment: Given['environment']): FieldError[] {
  const settingNames = [
    ...settings.map(({ name }) => variableOf(name)),
    ...secretSettings.map(({ name }) => fileVariableOf(name)),
  ];
  return Object.keys(environment)
    .filter((name) => name.startsWith('HORARIUM_') && !settingNames.includes(name) && !otherVariables.has(name))
    .map((name) => ({
      field: name,
      message: `The environment variable ${name} is not a setting.${didYouMean(name, settingNames, 'HORARIUM_')}`,
    }));
}

function unknownKeys(file: Given['file']): FieldError[] {
  const settingNames = [
    ...settings.map(({ name }) => name),
    ...secretSettings.map(({ name }) => fileKeyOf(name)),
  ] as readonly string[];
  return Object.keys(file?.values ?? {})
    .filter((name) => !settingNames.includes(name))
    .map((name) => ({
      field: name,
      message: `${name} in ${file?.path} is not a setting.${didYouMean(name, settingNames)}`,
    }));
}

/** Warns of each flag that was given a secret. */
function exposedFlags(effective: readonly Effective[]): string[] {
  const exposed = effective.filter(
    ({ setting, text, source }) => source === 'flag' && text !== null && (setting.show?.(text) ?? text) !== text,
  );
  return exposed.map(
    ({ setting: { name } }) =>
      `Warning: every user of this machine can read the password in ${flagOf(name)}; ` +
      `${variableOf(name)} and the file of --config keep it to themselves.`,
  );
}
