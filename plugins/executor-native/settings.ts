import { tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import {
  attemptLimitOptions,
  attemptLimits,
  choice,
  HorariumError,
  type RowOf,
  seconds,
  text,
  texts,
} from '@horarium/core/plugin';
import { usualPath } from '../process/sandbox/program.ts';
import { sandboxNames } from '../process/sandbox/sandbox.ts';
import { nativeNeeds, sandboxFields } from '../process/sandbox/sandbox-fields.ts';
import { sandboxOptionsOf } from '../process/sandbox/sandbox-options.ts';
import { JobUsers } from '../process/users/job-users.ts';
import { ownUser, type User, userNamed } from '../process/users/users.ts';

/** The options of the plugin. */
export const nativeOptions = {
  folder: text(4096, {
    description: 'Folder for the working directories of jobs; null = the folder for temporary files.',
  }),
  path: text(4096, { description: 'PATH of jobs; null = the usual one.' }),
  home: text(4096, {
    description:
      'HOME of jobs that run as the user of the service; null = that of this user. Others have that of their user.',
  }),
  language: text(64, { description: 'LANG of jobs; null = C.UTF-8.' }),
  timezone: text(64, { description: 'TZ of jobs; null = that of the service.' }),
  grace: seconds(10, { description: 'Seconds that a job has to end after it is asked to.' }),
  ...attemptLimitOptions,
  executables: texts(4096, { description: 'Folders that programs must be in; none = anywhere.' }),
  run_as: text(32, { description: 'User that jobs run as; null = the user of the service.' }),
  users: texts(32, { description: 'Users that a template may ask for, besides that of run_as.' })
    .nullable()
    .default(null),
  service_user: text(32, {
    description: 'User of the service, for commands that another user runs; null = that of this process.',
  }),
  job_users: texts(64, {
    description:
      'Operating-system users for the jobs of companies, one for each company: names, or unused user ids or ranges of them.',
  }),
  containment: choice(['auto', ...sandboxNames], {
    description:
      'How the service makes sure that no process of a job outlives it; auto = the best way that works here.',
  })
    .default('auto')
    .nonNullable(),
  ...sandboxFields(false, nativeNeeds),
};

export type NativeOptions = RowOf<typeof nativeOptions>;
export type NativeSettings = ReturnType<typeof nativeSettings>;

/**
 * Checks the options, and fills in what depends on the machine. Commands do so too, which start no jobs and may run as any user;
 * only `refusal` says what rules out that jobs start.
 * @throws HorariumError `invalid` naming the setting.
 */
export function nativeSettings(options: NativeOptions) {
  if (process.platform !== 'linux') throw invalid(`Native jobs need Linux; this is ${process.platform}.`);
  const { executables, users, containment, run_as, service_user } = options;
  const runAs = run_as === null ? null : userNamed(run_as);
  const serviceUid = service_user === null ? null : (userNamed(service_user)?.uid ?? null);
  const relative = executables.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) throw invalid(`The folder of executables ${relative} must be an absolute path.`);
  const user = runAs ?? ownUser();
  return {
    ...attemptLimits(options),
    folder: resolve(options.folder ?? tmpdir()),
    environment: {
      PATH: options.path ?? usualPath,
      HOME: runAs?.home ?? options.home ?? user?.home ?? '/',
      ...(user && { LOGNAME: user.name, USER: user.name }),
      LANG: options.language ?? 'C.UTF-8',
      TZ: options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    grace: options.grace * 1000,
    executables: executables.length > 0 ? executables : null,
    refusal: run_as === null ? null : refusalToRunAs(run_as, runAs),
    runAs,
    usualUid: run_as === null ? (serviceUid ?? process.getuid?.()) : runAs?.uid,
    serviceUid,
    // As root jobs may run as anybody anyway.
    users: users ?? (run_as === null || runAs?.uid === 0 ? null : [run_as]),
    jobUsers: new JobUsers(options.job_users, runAs),
    sandbox: containment === 'auto' ? null : containment,
    sandboxOptions: sandboxOptionsOf(options),
  };
}

function refusalToRunAs(name: string, user: User | null): string | null {
  if (!user) return `Jobs cannot run as ${name}: there is no such user.`;
  if (process.getuid?.() === 0 || process.getuid?.() === user.uid) return null;
  return `Jobs cannot run as ${name}: only root can start processes as another user.`;
}

function invalid(message: string): HorariumError {
  return new HorariumError('invalid', message);
}
