/** A service that can be treated badly, and looked into afterwards. */
export interface FuzzTarget extends AsyncDisposable {
  /** `memory`, `sqlite` or `postgresql`. */
  readonly store: string;
  /** With the base path. */
  readonly url: string;
  /** A token of that user, who was made through the API; the first user is `rootLogin`. */
  tokenOf(login: string): Promise<string>;
  readonly rootLogin: string;
  /** A program that jobs may run without harm. */
  readonly program: string;
  /** What the service itself complained of since it was last asked: errors in its log, its own end. */
  complaints(): string[];
  /** Lets no further Tasks be made, ends the service, and holds what is in its store against what it promises. */
  finish(): Promise<string[]>;
}
