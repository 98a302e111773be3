import type { ChildProcess } from 'node:child_process';
import { accessSync, closeSync, constants, fchownSync } from 'node:fs';
import type { RunCommand } from '../messages.ts';
import { invocationVariable } from '../sandbox/process-table.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { progressFile } from '../working-folder/progress-file.ts';
import { findExecutable } from './find-executable.ts';
import type { PipePool } from './pipe-pool.ts';

/** The reason why a program could not be started, with the exit code that a shell would give. */
export interface Refusal {
  readonly exitCode: 126 | 127;
  readonly reason: string;
}

/** A process that was started, and the pipes of its output. */
interface Spawned {
  readonly child: ChildProcess;
  /** The read ends of stdout and stderr; null where Node's own sockets are used. */
  readonly outputs: readonly [number, number] | null;
}

/** The place of a job: what it is given besides what the command says. */
interface Place {
  /** The id that marks its processes. */
  readonly invocation: string;
  readonly sandbox: Sandbox;
  /** Its working directory. */
  readonly folder: string;
  /** Its own HOME; null where it has none. */
  readonly home: string | null;
}

/** Starts the process of a job in its own working directory, session and process group. */
export function spawnJob(
  command: RunCommand,
  { invocation, sandbox, folder, home }: Place,
  executables: readonly string[] | null,
  pipes: PipePool,
): Spawned | Refusal {
  const refusal = refusalOf(command);
  if (refusal) return { exitCode: 126, reason: refusal };
  const found = findExecutable(command.executable, command.environment.PATH ?? '', executables);
  if ('reason' in found) return found;
  const directory = directoryOf(command, folder, home);
  if (typeof directory === 'object') return directory;
  // `own` are the file descriptors that this process reads, `inherited` those that the job gets.
  const own: number[] = [];
  const inherited: number[] = [];
  let child: ChildProcess | null = null;
  try {
    const stdin = command.stdin === null ? 'ignore' : pipes.openStdin(command.stdin);
    if (typeof stdin === 'number') inherited.push(stdin);
    const outputs = pipes.take();
    for (const { readEnd, writeEnd } of outputs ?? []) {
      own.push(readEnd);
      inherited.push(writeEnd);
    }
    if (command.identity) for (const fd of inherited) fchownSync(fd, command.identity.uid, command.identity.gid);
    const placed = {
      ...(home !== null && { HOME: home }),
      HORARIUM_WORKDIR: folder,
      HORARIUM_PROGRESS_FILE: `${folder}/${progressFile}`,
      [invocationVariable]: invocation,
    };
    const environment = { ...command.environment, ...placed };
    const { arguments: words, identity, inputs } = command;
    child = sandbox.start({ ...found, arguments: words, folder, directory, home, inputs, environment, identity }, [
      stdin,
      outputs?.[0]?.writeEnd ?? 'pipe',
      outputs?.[1]?.writeEnd ?? 'pipe',
    ]);
  } catch (error) {
    return refusalFor(error, command.executable);
  } finally {
    // A process that could not be started has no id; its "error" event names the reason.
    const closing = child?.pid === undefined ? [...inherited, ...own] : inherited;
    for (const fd of closing) closeSync(fd);
  }
  return { child, outputs: own.length === 2 ? [own[0] as number, own[1] as number] : null };
}

/** Returns where a command runs, or why it cannot run there. Users such as www-data often lack their HOME, and cron runs their jobs too. */
function directoryOf({ directory, environment }: RunCommand, folder: string, home: string | null): string | Refusal {
  if (directory === null) return folder;
  const path = directory === '~' ? (home ?? environment['HOME'] ?? '/') : directory;
  try {
    accessSync(`${path}/.`, constants.X_OK);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    if (isMissing && directory === '~') return folder;
    const problem = isMissing ? 'does not exist' : `cannot be entered: ${code}`;
    return { exitCode: 126, reason: `The directory ${path}, in which it was to run, ${problem}.` };
  }
}

function refusalOf(command: RunCommand): string | null {
  const nul = '\0';
  if (command.executable.includes(nul)) return 'The name of the executable contains a NUL character.';
  const index = command.arguments.findIndex((argument) => argument.includes(nul));
  if (index >= 0) return `Argument ${index + 1} contains a NUL character.`;
  for (const [key, value] of Object.entries(command.environment)) {
    if (key === '' || key.includes('=') || key.includes(nul)) {
      return `${JSON.stringify(key)} cannot be the name of an environment variable.`;
    }
    if (value.includes(nul)) return `The environment variable ${key} contains a NUL character.`;
  }
  return null;
}

/** Converts an error of the system on starting a program to a reason that a user understands. */
export function refusalFor(error: unknown, executable: string): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return { exitCode: 127, reason: `The interpreter that ${executable} asks for was not found.` };
    case 'EACCES':
    case 'EPERM':
      return { exitCode: 126, reason: `${executable} may not be executed by the user that jobs run as.` };
    case 'ENOEXEC':
      return { exitCode: 126, reason: `${executable} is not in a format that this machine can execute.` };
    case 'E2BIG':
      return {
        exitCode: 126,
        reason: `The arguments and environment of ${executable} are larger than the system allows.`,
      };
    case 'EMFILE':
    case 'ENFILE':
      return { exitCode: 126, reason: `${executable} was not started: too many files are open.` };
    case 'EAGAIN':
      return { exitCode: 126, reason: `${executable} was not started: too many processes are running.` };
    default:
      return { exitCode: 126, reason: `${executable} was not started: ${code ?? message}.` };
  }
}
