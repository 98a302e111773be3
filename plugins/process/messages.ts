import type { SandboxName } from './sandbox/sandbox.ts';
import type { SandboxOptions } from './sandbox/sandbox-options.ts';
import type { Identity } from './users/users.ts';

/** The settings that the launcher gets before its first job. */
export interface LauncherSettings {
  /** Its name, which is unique: that of its folder, and the beginning of the ids of its invocations. */
  readonly launcher: string;
  /** How the processes of jobs are kept together; null for the best way that the machine offers. */
  readonly sandbox: SandboxName | null;
  /** What holds for every job. */
  readonly sandboxOptions: SandboxOptions;
  /** The folder of the working directories of running jobs. The launcher makes it, and removes it when it ends. */
  readonly folder: string;
  /** The folder for pipes and other files of the launcher itself, in memory where possible. Removed as well. */
  readonly scratch: string;
  /** The maximum bytes of stdout and stderr together that are sent to the server; the rest is read and dropped. */
  readonly maxOutput: number;
  /** The line written where output was dropped. */
  readonly outputCut: string;
  /** Folders that executables must be in, or null for anywhere. */
  readonly executables: readonly string[] | null;
}

/** A command that removes what a run leaves behind elsewhere, such as its container. It may run more than once. */
export interface Cleanup {
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it says where there is nothing to remove, which is no failure: part of it, in lower case. */
  readonly nothing: string;
}

/** A program to run. */
export interface RunCommand {
  readonly command: 'run';
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Complete but for HORARIUM_WORKDIR, HORARIUM_PROGRESS_FILE, HORARIUM_INVOCATION_ID and the HOME of its own, which the launcher adds. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  /** Milliseconds, or null. */
  readonly timeout: number | null;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** The user to run it as; null for the server's own. */
  readonly identity: Identity | null;
  /** Where it runs: an absolute path, or `~` for its HOME if there is one; null = in the working directory of its own. */
  readonly directory: string | null;
  /** Whether its HOME is an empty folder of its own, which is removed as its working directory is. */
  readonly ownHome: boolean;
  readonly sandboxOptions: SandboxOptions;
  /** A folder with files that it may read, which is removed as its working directory is; null where it is given none. */
  readonly inputs: string | null;
  /** Whether the working directory remains after the end until a `release`, so that the server can read artifacts. */
  readonly retainFolder: boolean;
  /** What runs after the end of the job or at the `release`, and in any case when the server dies or loses its lease; null = nothing. */
  readonly cleanup: Cleanup | null;
}

/** A message from the server to the launcher. */
export type LauncherCommand =
  | { readonly command: 'begin'; readonly settings: LauncherSettings }
  | RunCommand
  | { readonly command: 'stop'; readonly reason: string }
  /** The server has stored that many bytes of the attempt's output: the launcher may send as many more. */
  | { readonly command: 'credit'; readonly bytes: number }
  /** The server needs nothing of the ended attempt any more: its working directory may be removed, and its cleanup run. */
  | { readonly command: 'release' }
  /** The lease of all jobs ends then, in seconds since the machine started: the one clock both processes share. */
  | { readonly command: 'lease'; readonly until: number }
  | { readonly command: 'close'; readonly reason: string };

/** The end of a job, as the launcher reports it. */
export interface Ended {
  readonly event: 'ended';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** It was killed because the server lost its lease or died. */
  readonly lost: boolean;
  readonly reason: string | null;
  /** In bytes; null where it was not measured. */
  readonly peakMemory: number | null;
  readonly finishedAt: number;
}

/** A message from the launcher to the server. */
export type LauncherEvent =
  /** It is ready for jobs, and keeps their processes together in that way. */
  | { readonly event: 'begun'; readonly sandbox: SandboxName }
  | { readonly event: 'started'; readonly pid: number; readonly folder: string }
  | Ended
  /** The cleanup of the attempt has run. @property problem why it failed; null = it did not. */
  | { readonly event: 'cleaned'; readonly problem: string | null }
  /** The launcher could not make its folders, or not keep processes together in the way that was asked for, and ends. */
  | { readonly event: 'failed'; readonly reason: string };

/**
 * The flow-control window: bytes of one attempt's output that may be in transit or queued in the server. The launcher
 * reads no more from the job's pipes until some were credited.
 */
export const outputWindow = 128 * 1024;

/** The prefix of the names of launchers' folders. */
export const launcherFolderPrefix = 'horarium-jobs-';
