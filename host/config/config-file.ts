import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';

/** The settings file: its path, and its values as texts. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Reads the settings file: a YAML mapping of setting names to values; lists and mappings may be written as such. Only a
 * file that the operator names is read, because settings can load plugins, and a folder may belong to another user.
 * @throws HorariumError `invalid` when it cannot be read or is not such a mapping.
 */
export async function readConfigFile(path: string, folder: string): Promise<SettingsFile> {
  let source: string;
  try {
    source = await readFile(resolve(folder, path), 'utf8');
  } catch (error) {
    throw new HorariumError('invalid', `The settings file ${path} cannot be read: ${(error as Error).message}.`);
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
