import { tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { type AttemptLimits, HorariumError, type Milliseconds } from '@horarium/core/plugin';
import { usualPath } from '../process/sandbox/program.ts';
import type { SandboxName } from '../process/sandbox/sandbox.ts';
import { type SandboxOptions, unrestricted } from '../process/sandbox/sandbox-options.ts';
import { JobUsers } from '../process/users/job-users.ts';
import { ownUser, type User, userNamed } from '../process/users/users.ts';

const mebibyte = 1024 * 1024;

/** The configuration of native jobs: the options of the plugin, where each has a default. */
export interface NativeExecutorConfig extends Partial<AttemptLimits> {
  readonly folder?: string | null;
  readonly path?: string | null;
  readonly home?: string | null;
  readonly language?: string | null;
  readonly timeZone?: string | null;
  readonly grace?: Milliseconds;
  readonly executables?: readonly string[] | null;
  readonly runAs?: string | null;
  /** Default: all users where jobs run as root anyway; with another user as `runAs`, only that one. */
  readonly users?: readonly string[] | null;
  readonly jobUsers?: readonly string[];
  /** Default: the best that the machine offers. */
  readonly sandbox?: SandboxName | null;
  readonly sandboxOptions?: SandboxOptions;
}

export type NativeSettings = ReturnType<typeof nativeSettings>;

/**
 * Checks the configuration and fills in the defaults.
 * @throws HorariumError `invalid` naming the setting.
 */
export function nativeSettings(config: NativeExecutorConfig) {
  if (process.platform !== 'linux') throw invalid(`Native jobs need Linux; this is ${process.platform}.`);
  const runAs = config.runAs ? userToRunAs(config.runAs) : null;
  const executables = config.executables ?? null;
  const relative = executables?.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) throw invalid(`The folder of executables ${relative} must be an absolute path.`);
  return {
    folder: resolve(config.folder ?? tmpdir()),
    environment: {
      PATH: config.path ?? usualPath,
      HOME: runAs?.home ?? config.home ?? ownUser()?.home ?? '/',
      LANG: config.language ?? 'C.UTF-8',
      TZ: config.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    maxOutput: config.maxOutput ?? 10 * mebibyte,
    grace: config.grace ?? 10_000,
    maxFileSize: config.maxFileSize ?? 10 * mebibyte,
    maxTotalFileSize: config.maxTotalFileSize ?? 50 * mebibyte,
    maxFiles: config.maxFiles ?? 1000,
    executables,
    runAs,
    users: config.users ?? (runAs && runAs.uid !== 0 ? [runAs.name] : null),
    jobUsers: new JobUsers(config.jobUsers ?? [], runAs),
    sandbox: config.sandbox ?? null,
    sandboxOptions: config.sandboxOptions ?? unrestricted,
  };
}

function userToRunAs(name: string): User {
  const user = userNamed(name);
  if (!user) throw invalid(`Jobs cannot run as ${name}: there is no such user.`);
  if (process.getuid?.() !== 0 && process.getuid?.() !== user.uid) {
    throw invalid(`Jobs cannot run as ${name}: only root can start processes as another user.`);
  }
  return user;
}

function invalid(message: string): HorariumError {
  return new HorariumError('invalid', message);
}
