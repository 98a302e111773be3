/** The settings that the launcher gets before its first job. */
export interface LauncherSettings {
  /** Made by the launcher; holds one working directory for each running job. Removed when the launcher ends. */
  readonly folder: string;
  /** Made by the launcher for what it needs itself; in memory where that is possible. Removed as well. */
  readonly scratch: string;
  /** Bytes of stdout and stderr together that are sent to the server; the rest is read and dropped. */
  readonly outputLimit: number;
  /** The line written where output was dropped. */
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
  /** The user to run it as; null for the server's own. */
  readonly identity: Identity | null;
  /** Whether the working directory stays after the end, until `release`. */
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

/** The end of a job, as the launcher reports it. */
export interface Ended {
  readonly news: 'ended';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** It was killed because the server lost its lease or died. */
  readonly lost: boolean;
  readonly reason: string | null;
  readonly finishedAt: number;
}

/** From the launcher to the server. */
export type News =
  | { readonly news: 'started'; readonly pid: number; readonly folder: string }
  | Ended
  /** The launcher cannot work and ends. */
  | { readonly news: 'unable'; readonly reason: string };

/**
 * The flow-control window: bytes of one attempt's output that may be in transit or queued in the server. The launcher
 * reads no more from the job's pipes until some were credited.
 */
export const outputWindow = 128 * 1024;

/** How the names of launchers' folders begin. */
export const launcherFolderPrefix = 'horarium-jobs-';
