import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FieldError } from '@horarium/core';
import type { SettingsFile } from './config-file.ts';
import { fileKeyOf, fileVariableOf, type Setting, variableOf } from './setting.ts';
import { settings } from './settings.ts';

/** The secrets that were read from files. */
export interface SecretFiles {
  /** By the name of the setting. */
  readonly values: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
  /** A sentence for each file that everybody on the machine can read. */
  readonly warnings: readonly string[];
  readonly errors: readonly FieldError[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file that a secret is read from. */
export interface SecretOrigin {
  readonly path: string;
  /** How the operator named it: `HORARIUM_VAULT_KEY_FILE`, or `vault_key_file in horarium.yaml`. */
  readonly name: string;
}

/** The settings whose values are secret, in whole or in part, and may come from files. */
export const secretSettings = settings.filter(({ secret }) => secret !== undefined);

/** Removes the secrets from an environment once they have been read, so that no process that a plugin starts inherits them. */
export function forgetSecrets(environment: Record<string, string | undefined>): void {
  for (const { name } of secretSettings) delete environment[variableOf(name)];
}

/**
 * Reads the secrets that come from files: from the file that `HORARIUM_…_FILE` names, or from a credential of systemd,
 * which is a file in `$CREDENTIALS_DIRECTORY` that is named as the setting, or else from the file that `…_file` in the
 * settings file names. One line break at the end does not count.
 * @param folder where relative paths start.
 * @param file the settings file, if there is one.
 * @returns an error for each file that cannot be used, and for each secret that was given more than once.
 */
export async function readSecretFiles(
  environment: Environment,
  folder: string,
  file?: SettingsFile,
): Promise<SecretFiles> {
  const values: Record<string, { path: string; text: string }> = {};
  const warnings: string[] = [];
  const errors: FieldError[] = [];
  for (const setting of secretSettings) {
    const inEnvironment = await originsOf(setting, environment, folder);
    const ofEnvironment = [
      ...(environment[variableOf(setting.name)] ? [variableOf(setting.name)] : []),
      ...inEnvironment.map(nameOf),
    ];
    const inFile = originInFile(setting, file, folder);
    // The environment wins over the settings file, as for every setting.
    const given = ofEnvironment.length > 0 ? ofEnvironment : namesInFile(setting, file);
    const [origin] = ofEnvironment.length > 0 ? inEnvironment : inFile;
    if (given.length > 1)
      errors.push({ field: setting.name, message: `${given.join(' and ')} are both set; give one.` });
    else if (origin)
      try {
        const { content, isPublic } = await readSecret(origin);
        values[setting.name] = { path: origin.path, text: content };
        if (isPublic) warnings.push(publicFileWarning(origin));
      } catch (error) {
        errors.push({ field: setting.name, message: (error as Error).message });
      }
  }
  return { values, warnings, errors };
}

async function originsOf({ name }: Setting, environment: Environment, folder: string): Promise<SecretOrigin[]> {
  const path = environment[fileVariableOf(name)];
  const credential = await systemdCredential(environment, name);
  return [
    ...(path ? [{ path: resolve(folder, path), name: fileVariableOf(name) }] : []),
    ...(credential ? [credential] : []),
  ];
}

/** Returns the credential of systemd of that name; null where there is none. */
export async function systemdCredential(
  { CREDENTIALS_DIRECTORY: directory }: Environment,
  name: string,
): Promise<SecretOrigin | null> {
  const path = directory ? join(directory, name) : undefined;
  return path !== undefined && (await exists(path)) ? { path, name: 'CREDENTIALS_DIRECTORY' } : null;
}

function originInFile({ name }: Setting, file: SettingsFile | undefined, folder: string): SecretOrigin[] {
  const key = fileKeyOf(name);
  const path = file?.values[key];
  return file && path ? [{ path: resolve(folder, path), name: `${key} in ${file.path}` }] : [];
}

function namesInFile({ name }: Setting, file: SettingsFile | undefined): string[] {
  return [name, fileKeyOf(name)]
    .filter((key) => file?.values[key] !== undefined)
    .map((key) => `${key} in ${file?.path}`);
}

const nameOf = ({ name, path }: SecretOrigin) => (name === 'CREDENTIALS_DIRECTORY' ? `the credential ${path}` : name);

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** More than any secret has, so that a wrong path, such as that of a log or a device, is noticed. */
const maxBytes = 65_536;
const readableByAll = 0o004;

/** Warns of a file with a secret that every user of the machine can read. */
export function publicFileWarning({ path, name }: SecretOrigin): string {
  return `Warning: every user of this machine can read ${path}, which ${name} names; chmod 600 keeps it to its owner.`;
}

/** @throws Error with a sentence that names the file. */
export async function readSecret({ path, name }: SecretOrigin): Promise<{ content: string; isPublic: boolean }> {
  const { content, isPublic } = await readStart(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The file ${path}, which ${name} names, cannot be read (${error.code ?? error.message}).`);
  });
  if (Buffer.byteLength(content) > maxBytes)
    throw new Error(`The file ${path}, which ${name} names, has more than ${maxBytes} bytes.`);
  const value = content.replace(/\r?\n$/, '');
  if (value === '') throw new Error(`The file ${path}, which ${name} names, is empty.`);
  return { content: value, isPublic };
}

async function readStart(path: string): Promise<{ content: string; isPublic: boolean }> {
  await using file = await open(path);
  const stats = await file.stat();
  // A pipe, such as that of a shell's process substitution, is no file that others could open.
  const isPublic = stats.isFile() && (stats.mode & readableByAll) !== 0;
  return { content: await text(file.createReadStream({ end: maxBytes, autoClose: false })), isPublic };
}
