import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Identity } from '../users/users.ts';

/** A program to start. */
export interface Program {
  readonly file: string;
  /** Its argv[0]. */
  readonly calledAs: string;
  readonly arguments: readonly string[];
  /** The working directory of its own, which it can write to. */
  readonly folder: string;
  /** Where it runs. */
  readonly directory: string;
  /** The folder of its own that is its HOME; null where it has none. */
  readonly home: string | null;
  /** A folder with files that it may read; null where it is given none. */
  readonly inputs: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** The user to run it as; null for this process's own. */
  readonly identity: Identity | null;
}

/** What a job has for stdin, stdout and stderr: files by their descriptor, or what Node makes. */
export type JobStdio = readonly (number | 'ignore' | 'pipe')[];

/** Starts a program as the leader of a session and a process group. @throws Error as `spawn` does. */
export function spawnProgram(program: Program, stdio: JobStdio): ChildProcess {
  return spawn(program.file, program.arguments, {
    argv0: program.calledAs,
    cwd: program.directory,
    detached: true,
    env: program.environment,
    stdio: [...stdio],
    ...program.identity,
  });
}

/** The same program, started by another one, which is given its own arguments before it, and also sets the user. */
export function startedBy(starter: readonly [string, ...string[]], program: Program): Program {
  const [file, ...own] = starter;
  const { folder, directory, home, inputs, environment } = program;
  const words = [...own, program.file, ...program.arguments];
  return { file, calledAs: file, arguments: words, folder, directory, home, inputs, environment, identity: null };
}

/** Where programs are found whose environment has no other PATH. */
export const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The path of a program of the system. @throws Error where it is not installed. */
export function systemProgram(name: string): string {
  const found = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']
    .map((folder) => `${folder}/${name}`)
    .find(isExecutable);
  if (found === undefined) throw new Error(`the program ${name} is not installed`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
