import { didYouMean, type FieldError, HorariumError } from '@horarium/core';
import { flagOf, type Machine, type Setting, variableOf, WrongValue } from './setting.ts';
import { type Config, type SettingName, settings } from './settings.ts';

/** The sources of settings; later ones win. */
export interface Given {
  readonly file?: { readonly path: string; readonly values: Readonly<Record<string, string>> };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By setting name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
}

/** One setting with its effective value, and who set it. */
export interface Effective {
  readonly setting: Setting;
  readonly text: string | null;
  /** `default`, `environment`, `flag`, or the file's path. */
  readonly source: string;
}

export interface ReadConfig {
  readonly config: Config;
  readonly effective: readonly Effective[];
}

/** Variables with the prefix that are not settings: the name of the file, and the environment of jobs, which may call the CLI. */
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
  ].map((name) => `HORARIUM_${name}`),
);

/** @throws HorariumError `invalid` with a sentence for each wrong or unknown setting. */
export function readConfig(given: Given): ReadConfig {
  const errors: FieldError[] = [...unknownVariables(given.environment), ...unknownKeys(given.file)];
  const effective = settings.map((setting) => find(setting, given));
  const config: Record<string, unknown> = {};
  for (const each of effective) {
    try {
      config[each.setting.name] = each.text === null ? null : each.setting.read(each.text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      errors.push({ field: each.setting.name, message: wrong(each, error.message) });
    }
  }
  if ((config['tls_cert'] === null) !== (config['tls_key'] === null))
    errors.push({ field: 'tls_key', message: 'HORARIUM_TLS_CERT and HORARIUM_TLS_KEY must be set together.' });
  if (errors.length > 0 || !isComplete(config))
    throw new HorariumError('invalid', errors.map((error) => error.message).join('\n'), errors);
  return { config, effective };
}

/** Whether every setting was read; each that could not be has made an error. */
function isComplete(config: Readonly<Record<string, unknown>>): config is Config {
  return settings.every(({ name }) => name in config);
}

function find(setting: Setting & { name: SettingName }, { file, environment, flags, machine }: Given): Effective {
  const flag = flags[setting.name];
  if (flag !== undefined) return { setting, text: flag, source: 'flag' };
  const variable = environment[variableOf(setting.name)];
  // An empty variable is how shells and compose files say "not set".
  if (variable !== undefined && variable !== '') return { setting, text: variable, source: 'environment' };
  const written = file?.values[setting.name];
  if (file && written !== undefined) return { setting, text: written, source: file.path };
  const initial = typeof setting.initial === 'function' ? setting.initial(machine) : setting.initial;
  return { setting, text: initial, source: 'default' };
}

function wrong({ setting, text, source }: Effective, reason: string): string {
  const names = { environment: variableOf(setting.name), flag: flagOf(setting.name), default: setting.name };
  const name = names[source as keyof typeof names] ?? `${setting.name} in ${source}`;
  return `${name} must be ${setting.expected ?? 'a text'}, not ${wrongText(setting, text ?? '')}${reason ? `: ${reason}` : ''}.`;
}

/** Hides a wrong value that holds a secret, or may hold one that cannot be found and masked. */
function wrongText({ secret, show }: Setting, text: string): string {
  const shown = show?.(text) ?? text;
  return secret || (show && shown === text && /@|password/i.test(text)) ? 'what it is set to' : shown;
}

function unknownVariables(environment: Given['environment']): FieldError[] {
  const known = settings.map((setting) => variableOf(setting.name));
  return Object.keys(environment)
    .filter((name) => name.startsWith('HORARIUM_') && !known.includes(name) && !otherVariables.has(name))
    .map((name) => ({
      field: name,
      message: `The environment variable ${name} is not a setting.${didYouMean(name, known, 'HORARIUM_')}`,
    }));
}

function unknownKeys(file: Given['file']): FieldError[] {
  const known = settings.map((setting) => setting.name);
  return Object.keys(file?.values ?? {})
    .filter((name) => !known.includes(name as SettingName))
    .map((name) => ({ field: name, message: `${name} in ${file?.path} is not a setting.${didYouMean(name, known)}` }));
}

/** Warns of each flag that was given a secret, without the secret itself. */
export function exposedFlags(effective: readonly Effective[]): string[] {
  const exposed = effective.filter(
    ({ setting, text, source }) => source === 'flag' && text !== null && (setting.show?.(text) ?? text) !== text,
  );
  return exposed.map(
    ({ setting: { name } }) =>
      `Warning: every user of this machine can read the password in ${flagOf(name)}; ` +
      `${variableOf(name)} and the file of --config keep it to themselves.`,
  );
}
