/** A service that can be treated badly, and looked into afterwards. */
export interface FuzzTarget extends AsyncDisposable {
  /** `memory`, `sqlite` or `postgresql`. */
  readonly store: string;
  /** With the base path. */
  readonly url: string;
  /** Makes an administrator past every channel, whatever has become of the others; returns the login. */
  addRoot(): Promise<string>;
  tokenOf(login: string): Promise<string>;
  /** A program that jobs may run without harm. */
  readonly program: string;
  /** What the service itself complained of since it was last asked: errors in its log, its own end. */
  complaints(): string[];
  /** Lets no further Tasks be made, ends the service, and holds what is in its store against what it promises. */
  finish(): Promise<string[]>;
}
