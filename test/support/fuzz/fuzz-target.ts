/** A service to fuzz, whose store is checked afterwards. */
export interface FuzzTarget extends AsyncDisposable {
  /** `memory`, `sqlite` or `postgresql`. */
  readonly store: string;
  /** With the base path. */
  readonly url: string;
  /** Adds a super_admin directly to the store, because requests may have disabled all others; returns the login. */
  addSuperAdmin(): Promise<string>;
  tokenOf(login: string): Promise<string>;
  /** A harmless program that jobs may run. */
  readonly program: string;
  /** The errors in the service's log since the last call, and its end if it has ended. */
  loggedErrors(): string[];
  /** Deactivates all templates, ends the service, and checks its store; returns the broken promises. */
  finish(): Promise<string[]>;
}
