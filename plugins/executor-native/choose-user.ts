import type { NativeSettings } from './settings.ts';
import { type User, userNamed } from './users.ts';

/** Whom an attempt runs as (null: this process's own user), or a sentence that says why it may not. */
export function chooseUser(wanted: string | null, settings: NativeSettings): User | null | string {
  if (wanted === null) return other(settings.runAs);
  const user = userNamed(wanted);
  if (!user) return `It was to run as ${wanted}, but there is no such user.`;
  if (settings.runAs?.uid !== user.uid && !allowed(user, settings)) {
    return `It was to run as ${wanted}, which the configuration of native jobs does not allow.`;
  }
  if (other(user) && process.getuid?.() !== 0) {
    return `It was to run as ${wanted}, but only root can start processes as somebody else.`;
  }
  return other(user);
}

function allowed(user: User, { users, runAs }: NativeSettings): boolean {
  if (users?.includes(user.name)) return true;
  // Asking for the user that jobs run as anyway asks for nothing.
  return users === null || (runAs === null && user.uid === process.getuid?.());
}

function other(user: User | null): User | null {
  return user && user.uid !== process.getuid?.() ? user : null;
}
