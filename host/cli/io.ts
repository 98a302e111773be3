import type { Machine } from '../config/setting.ts';
import type { CustomHost } from '../custom-host.ts';

/** The outside world of a command, so that a test can stand in for the terminal, and what a custom host brings. */
export interface Io extends CustomHost {
  /** The command line, without the program itself. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder where relative paths start. */
  readonly folder: string;
  readonly machine: Machine;
  /** The IANA name of the time zone of the machine, whatever TZ says: that of its cron and its systemd. */
  readonly systemTimezone: string;
  /** The settings file that is read if it exists and none is named. @default none */
  readonly configFile?: string | undefined;
  /** The operator as the audit log names them: `root on host7`. */
  readonly operator: string;
  readonly input: Input;
  /** Whether a terminal shows standard output. */
  readonly screen: boolean;
  /** The width of that terminal in characters. @default 80 */
  readonly width?: number | undefined;
  /** Writes to standard output; resolves when the reader can take more. */
  out(piece: string | Uint8Array): Promise<void>;
  err(piece: string | Uint8Array): Promise<void>;
}

/** Standard input. */
export interface Input {
  /** Reads standard input up to its end. */
  bytes(): Promise<Uint8Array>;
  /** Standard input as text, piece by piece; `destroy` stops reading. */
  text(): AsyncIterable<string> & { destroy?(): unknown };
  /**
   * Asks a question at the terminal without showing what is typed; null where there is no terminal.
   * @throws Interrupted at Ctrl-C or Ctrl-D.
   */
  secret(question: string): Promise<string | null>;
}
