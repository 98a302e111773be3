import type { Attempt } from '@horarium/core/plugin';
import type { JobUsers } from './job-users.ts';
import { type Identity, type User, userNamed } from './users.ts';

/** The settings that decide as whom jobs may run. */
interface UserSettings {
  /** The user that jobs run as where nothing else is said; null = that of this process. */
  readonly runAs: User | null;
  /** The id of that user; undefined = this machine does not have it. */
  readonly usualUid: number | undefined;
  /** The id of the user of the service, where a command knows it; null = it does not, or this is the service. */
  readonly serviceUid: number | null;
  /** The users that a template may name; null = all. */
  readonly users: readonly string[] | null;
  /** The users that are each for one company alone. */
  readonly jobUsers: JobUsers;
}

/** The user that an attempt runs as. */
export interface ChosenUser {
  /** Null for that of this process. */
  readonly identity: Identity | null;
  /** Its name; undefined for that of all jobs. */
  readonly name?: string;
  /** Its home; undefined for that of all jobs, null for an empty folder of the attempt's own. */
  readonly home?: string | null;
}

/**
 * Chooses the user that an attempt runs as: that of its company, the one that its template names, or that of all jobs.
 * @param wanted the user that the template names; null = none.
 * @returns a sentence that says why it may not run, where it may not.
 */
export function chooseUser(
  wanted: string | null,
  { runAs: user }: Pick<Attempt, 'runAs'>,
  settings: UserSettings,
): ChosenUser | string {
  if (user !== null) return userOfCompany(user, wanted, settings);
  return wanted === null ? asChosen(settings.runAs) : userOfTemplate(wanted, settings);
}

/**
 * Returns why the settings rule out the user that a template names, as the end of a sentence that begins with its name and fits
 * several names too; null = they do not, or this machine has no such user: that of another worker may have it. The own user of a
 * command that does not know that of the service is not ruled out: a user who starts a service by hand runs its commands too.
 */
export function userRefusal(wanted: string | null, runAs: string | null, settings: UserSettings): string | null {
  if (wanted === null || wanted === runAs) return null;
  if (runAs !== null) return `${wanted} must be ${runAs}, the run_as of the company`;
  const user = userNamed(wanted);
  if (!user) return null;
  if (settings.jobUsers.includes(user))
    return `${wanted} must be the run_as of a company, as the setting job_users says`;
  const { serviceUid } = settings;
  if (serviceUid !== null && serviceUid !== 0 && serviceUid !== user.uid)
    return `${wanted} can only run jobs of a service that runs as root (horarium help job-users)`;
  return isAllowed(user, settings)
    ? null
    : `${wanted} must be in the option users of executor-native, and the service restarted then (horarium help native)`;
}

function userOfCompany(name: string, wanted: string | null, { jobUsers }: UserSettings): ChosenUser | string {
  if (wanted !== null && wanted !== name) return `It was to run as ${wanted}, but jobs of its company run as ${name}.`;
  const identity = jobUsers.identityOf(name);
  return typeof identity === 'string' ? identity : { identity, name, home: null };
}

function userOfTemplate(wanted: string, settings: UserSettings): ChosenUser | string {
  const user = userNamed(wanted);
  if (!user) return `It was to run as ${wanted}, but there is no such user.`;
  if (settings.jobUsers.includes(user)) return `It was to run as ${wanted}, which is for a company of its own.`;
  if (!isAllowed(user, settings))
    return `It was to run as ${wanted}, which the option users of executor-native does not list (horarium help native).`;
  if (!isOwn(user) && process.getuid?.() !== 0)
    return `It was to run as ${wanted}, but only root can start processes as another user.`;
  return settings.runAs === null && isOwn(user) ? { identity: null } : asChosen(user);
}

function isAllowed(user: User, { users, usualUid }: UserSettings): boolean {
  // The user that jobs run as anyway is always allowed.
  return users === null || users.includes(user.name) || user.uid === usualUid;
}

function asChosen(user: User | null): ChosenUser {
  if (!user) return { identity: null };
  const { uid, gid, name, home } = user;
  return { identity: isOwn(user) ? null : { uid, gid }, name, home };
}

function isOwn({ uid }: User): boolean {
  return uid === process.getuid?.();
}
