import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../../../host/cli/io.ts';
import { runCli } from '../../../host/cli/program.ts';
import type { CustomHost } from '../../../host/custom-host.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';

/** The exit code of a command and its output. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The parsed output with `--format json`; null without that option. @throws Error when the command failed. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a command may have any shape.
  readonly json: any;
}

export interface Terminal {
  /** The standard input of the command. */
  readonly input?: string | Uint8Array;
  /** The answers to the prompts of the command, in order; without them there is no terminal. */
  readonly answers?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether a terminal shows what the command writes. @default false */
  readonly screen?: boolean;
  /** Whether a terminal shows the error output. @default as `screen` */
  readonly terminal?: boolean;
  /** The time zone of the machine. @default UTC */
  readonly timezone?: string;
  /** The width of the terminal that shows the output; without it none does. */
  readonly width?: number;
}

/** Runs commands in the process of the test, on a store and a folder of their own. */
export class TestCli implements Disposable {
  readonly folder = temporaryFolder('cli');
  readonly environment: Readonly<Record<string, string>>;
  readonly #custom: CustomHost;

  /**
   * @param database the URL of the store; by default that of a SQLite file in the folder.
   * @param settings further settings, as environment variables.
   * @param custom what a custom host brings.
   */
  constructor(database?: string, settings: Readonly<Record<string, string>> = {}, custom: CustomHost = {}) {
    this.#custom = custom;
    this.environment = {
      HORARIUM_DATABASE_URL: database ?? `sqlite:${join(this.folder, 'h.sqlite')}`,
      HORARIUM_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
      HORARIUM_ADMIN_PASSWORD: 'correct horse battery',
      HORARIUM_TIMEZONE: 'Europe/Prague',
      ...settings,
    };
  }

  async run(line: readonly string[], terminal: Terminal = {}): Promise<CliResult> {
    const out: (string | Uint8Array)[] = [];
    const err: (string | Uint8Array)[] = [];
    const answers = [...(terminal.answers ?? [])];
    const io: Io = {
      arguments: line,
      environment: { ...this.environment, ...terminal.environment },
      folder: this.folder,
      ...this.#custom,
      machine: {
        cores: 2,
        timezone: terminal.timezone ?? 'UTC',
        terminal: terminal.terminal ?? terminal.screen ?? false,
      },
      systemTimezone: terminal.timezone ?? 'UTC',
      operator: 'tester on bench',
      screen: terminal.screen ?? terminal.width !== undefined,
      width: terminal.width,
      input: {
        bytes: async () => Buffer.from(terminal.input ?? ''),
        text: async function* () {
          yield Buffer.from(terminal.input ?? '').toString();
        },
        secret: async () => answers.shift() ?? null,
      },
      out: async (piece) => void out.push(piece),
      err: async (piece) => void err.push(piece),
    };
    const code = await runCli(io);
    return resultOf(line, code, textOf(out), textOf(err));
  }

  /** Runs a command line that is split at spaces. */
  command(line: string, terminal: Terminal = {}): Promise<CliResult> {
    return this.run(line.split(' '), terminal);
  }

  [Symbol.dispose](): void {
    // A killed process may still write to the folder while it ends.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function resultOf(line: readonly string[], code: number, out: string, err: string): CliResult {
  return {
    code,
    out,
    err,
    get json() {
      if (!line.includes('json')) return null;
      if (code !== 0) throw new Error(`${line.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
  };
}

function textOf(pieces: readonly (string | Uint8Array)[]): string {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
}
