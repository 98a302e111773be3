/** What tells lines of a crontab apart. */
export interface ComparedLine {
  /** The same for lines that are equal in all that matters. */
  readonly content: string;
  readonly schedule: string;
  readonly command: string;
  /** What people would call the program that the command runs. */
  readonly program: string;
}
