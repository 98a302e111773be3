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
 * Where a browser keeps which user has signed in with it: scripts cannot see the cookie of a session, and a request without one
 * is answered with an error, which the browser would report. Its pages tell each other by it, because they share the cookie.
 */
const storageKey = 'horarium.session';

/** Asks whose session it is, if there can be one. Where the service cannot be reached, it stays unknown. @throws Problem */
export async function readSession(): Promise<void> {
  whenSignedOut(() => {
    if (!isLeaving) endSession();
  });
  addEventListener('storage', onStorage);
  addEventListener('pageshow', onPageShow);
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

/** Whether the user signs out: that the session ends is no news, and no form asks to go on. */
let isLeaving = false;

export async function signOut(): Promise<void> {
  isLeaving = true;
  try {
    await request(path, { method: 'DELETE' });
  } finally {
    isLeaving = false;
  }
  localStorage.removeItem(storageKey);
  beginAgain();
}

/** The id of the user of the last session, which stays after it has ended. */
export const lastUser = signal<number | null>(null);

function setSession(value: Session): void {
  localStorage.setItem(storageKey, String(value.user.id));
  if (isOther(value.user.id)) {
    beginAgain();
    return;
  }
  lastUser.value = value.user.id;
  lastLogin.value = value.user.login;
  session.value = value;
}

function endSession(): void {
  localStorage.removeItem(storageKey);
  session.value = null;
}

function isOther(userId: number): boolean {
  return lastUser.value !== null && lastUser.value !== userId;
}

/** Loads the first view in place of the present one. All that a page knows of a user goes with it: records, rights, drafts. */
function beginAgain(): void {
  lastUser.value = null;
  session.value = undefined;
  location.replace(document.baseURI);
}

/** Another page of the browser has changed which user is signed in. */
function onStorage({ key, newValue }: StorageEvent): void {
  if (key === storageKey && newValue !== null && isOther(Number(newValue))) beginAgain();
}

/** The browser may keep a page as it was, and shows it for Back: it may be that of a user who has signed out. */
function onPageShow({ persisted }: PageTransitionEvent): void {
  if (persisted) location.reload();
}
