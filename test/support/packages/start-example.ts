import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { applicationFolder } from './installed-packages.ts';

export interface ExampleOptions {
  /** The arguments of the program. @default none */
  readonly line?: readonly string[];
  /** The folder of the application. @default a new one */
  readonly folder?: string;
  /** @default that of every spawned program */
  readonly environment?: Record<string, string>;
  /** Returns the program as a reader of the handbook would change it. @default it is run as it is */
  readonly edit?: (program: string) => string;
}

/** Writes an example into the folder of an application. @param path below `test/examples`. @returns the path of the copy. */
export function copyExample(path: string, folder: string, edit = (program: string) => program): string {
  const copy = join(folder, basename(path));
  writeFileSync(copy, edit(readFileSync(join(sourceRoot, 'test/examples', path), 'utf8')));
  return copy;
}

/**
 * Starts an example as a reader of the handbook does: saved in the folder of an application that installed the packages, and
 * run by Node as it is.
 */
export async function startExample(path: string, options: ExampleOptions = {}): Promise<SpawnedProgram> {
  const { line = [], folder = await applicationFolder(), environment = {}, edit } = options;
  const program = copyExample(path, folder, edit);
  return new SpawnedProgram(line, { folder, environment }, { program });
}
