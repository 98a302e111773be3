/** A service to fuzz, whose store is checked afterwards. */
export interface FuzzTarget extends AsyncDisposable {
  /** `memory`, `sqlite` or `postgresql`. */
  readonly store: string;
  /** The base URL of the API, with the base path. */
  readonly url: string;
  /** Adds a super_admin directly to the store, because requests may have disabled all others; returns the login. */
  addSuperAdmin(): Promise<string>;
  createToken(login: string): Promise<string>;
  /** A harmless program that jobs may run. */
  readonly program: string;
  /** The errors that the service logged since the last call, and its exit if it has ended. */
  newErrors(): string[];
  /** Deactivates all templates, ends the service, and checks its store; returns a sentence for each violated invariant. */
  finish(): Promise<string[]>;
}
