/** What the launcher has to know before its first job. */
export interface LauncherSettings {
  /** Made by the launcher; holds one working directory for each running job. Removed when the launcher ends. */
  readonly folder: string;
  /** Made by the launcher for what it needs itself; in memory where that is possible. Removed as well. */
  readonly scratch: string;
  /** Bytes of stdout and stderr together that are handed on; what is beyond is read and dropped. */
  readonly outputLimit: number;
  /** The line that stands where output was dropped. */
  readonly outputCut: string;
  /** Folders that executables must be in, or null for anywhere. */
  readonly executables: readonly string[] | null;
}

/** A program to run. */
export interface RunOrder {
  readonly order: 'run';
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Complete but for HORARIUM_WORKDIR, which the launcher adds. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  /** Milliseconds, or null. */
  readonly timeout: number | null;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** Whom to run it as, or null for the server's own user. */
  readonly identity: Identity | null;
  /** Whether the working directory is wanted after the end, until `release`. */
  readonly keepFolder: boolean;
}

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** From the server to the launcher. */
export type Order =
  | { readonly order: 'begin'; readonly settings: LauncherSettings }
  | RunOrder
  | { readonly order: 'stop'; readonly reason: string }
  /** That many bytes of the attempt's output were taken over: as many more may be sent. */
  | { readonly order: 'credit'; readonly bytes: number }
  /** The working directory of the ended attempt is no longer wanted. */
  | { readonly order: 'release' }
  /** Jobs may live until then, in seconds since the machine started: the one clock both sides share. */
  | { readonly order: 'lease'; readonly until: number }
  | { readonly order: 'close'; readonly reason: string };

/** How a job ended, as the launcher saw it. */
export interface Ended {
  readonly news: 'ended';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Nobody has a right to it any more, so it was killed. */
  readonly lost: boolean;
  readonly reason: string | null;
  readonly finishedAt: number;
}

/** From the launcher to the server. */
export type News =
  | { readonly news: 'started'; readonly pid: number; readonly folder: string }
  | Ended
  /** The launcher cannot work at all and ends. */
  | { readonly news: 'unable'; readonly reason: string };

/**
 * Bytes of one attempt's output that may be on their way or waiting in the server. More is not read from the
 * job's pipes until some were taken over.
 */
export const outputWindow = 128 * 1024;

/** How the names of launchers' folders begin. */
export const launcherFolderPrefix = 'horarium-jobs-';
