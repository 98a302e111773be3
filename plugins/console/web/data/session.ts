import { signal } from '@preact/signals';
import { Problem } from './problem.ts';
import { request, whenSignedOut } from './request.ts';

/** The signed-in user, with what decides what the pages offer. */
export interface Session {
  readonly user: { readonly id: number; readonly login: string };
  readonly roles: readonly string[];
  readonly memberships: readonly { readonly company_id: number; readonly role: string }[];
  readonly expires_at: string;
}

/** Undefined = not known yet; null = no user is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** The login of the last session: after it has ended, only the password is asked for. */
export const lastLogin = signal('');

const path = '/session';

/**
 * Where a browser keeps whether a user has signed in with it: scripts cannot see the cookie of a session, and a request without
 * one is answered with an error, which the browser would report.
 */
const storageKey = 'horarium.session';

/** Asks whose session it is, if there can be one. Where the service cannot be reached, it stays unknown. @throws Problem */
export async function readSession(): Promise<void> {
  whenSignedOut(endSession);
  if (localStorage.getItem(storageKey) === null) return endSession();
  try {
    setSession((await request<Session>(path)).value);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    endSession();
  }
}

/** @throws Problem for a wrong login or password, or too many attempts. */
export async function signIn(login: string, password: string): Promise<void> {
  setSession((await request<Session>(path, { method: 'POST', body: { login, password } })).value);
}

export async function signOut(): Promise<void> {
  await request(path, { method: 'DELETE' });
  lastLogin.value = '';
  lastUser.value = null;
  endSession();
}

/** The id of the user of the last session, which stays after it has ended. */
export const lastUser = signal<number | null>(null);

const listeners: (() => void)[] = [];

/** Calls back when another user than the last one has signed in: nothing that pages know may be shown to them. */
export function whenUserChanges(callback: () => void): void {
  listeners.push(callback);
}

function setSession(value: Session): void {
  if (lastUser.value !== null && lastUser.value !== value.user.id) for (const listener of listeners) listener();
  localStorage.setItem(storageKey, 'begun');
  lastUser.value = value.user.id;
  lastLogin.value = value.user.login;
  session.value = value;
}

function endSession(): void {
  localStorage.removeItem(storageKey);
  session.value = null;
}
