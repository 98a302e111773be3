import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';

/** The settings file: its path, and its values as texts. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The settings file of a machine, which all commands read where none is named. Only root can write there. */
export const systemConfigFile = '/etc/horarium/horarium.yaml';

/**
 * Finds the settings file of a command that names none: the one of HORARIUM_CONFIG, or else that of the machine. An empty
 * HORARIUM_CONFIG means none.
 * @param ofMachine its path; undefined where the program has none.
 * @returns its path; undefined for none.
 */
export async function findConfigFile(
  { HORARIUM_CONFIG: named }: Readonly<Record<string, string | undefined>>,
  ofMachine: string | undefined,
): Promise<string | undefined> {
  if (named !== undefined) return named || undefined;
  if (ofMachine === undefined) return undefined;
  const isMissing = await stat(ofMachine).then(
    () => false,
    // A file that this user may not see counts: to go by other settings than the service would be worse than an error.
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
  );
  return isMissing ? undefined : ofMachine;
}

/**
 * Reads the settings file: a YAML mapping of setting names to values; lists and mappings may be written as such. It is a
 * file that an operator names or root has written, because settings can load plugins, and a folder may belong to another user.
 * @param ofMachine the settings file of the machine, which a command reads unasked.
 * @throws HorariumError `invalid` when it cannot be read or is not such a mapping.
 */
export async function readConfigFile(
  path: string,
  folder: string,
  ofMachine = systemConfigFile,
): Promise<SettingsFile> {
  let source: string;
  try {
    source = await readFile(resolve(folder, path), 'utf8');
  } catch (error) {
    const remedy =
      path === ofMachine ? ' Be root or another user who may read it; an empty HORARIUM_CONFIG goes without it.' : '';
    throw new HorariumError(
      'invalid',
      `The settings file ${path} cannot be read: ${(error as Error).message}.${remedy}`,
    );
  }
  return { path, values: await parse(path, source) };
}

async function parse(path: string, source: string): Promise<Record<string, string>> {
  const yaml = await import('yaml');
  let content: unknown;
  try {
    content = yaml.parse(source, { maxAliasCount: 0 }) ?? {};
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new HorariumError('invalid', `The settings file ${path} is not YAML: ${line}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new HorariumError('invalid', `The settings file ${path} must hold names and values, such as "port: 8080".`);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(content)) {
    if (value === null) continue;
    values[name] = asText(value);
  }
  return values;
}

/** Writes a value as text, as an environment variable would hold it. */
function asText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
