import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Actor } from '../resource/actor.ts';
import type { PluginCore } from './plugin-core.ts';

/** A record as plain data. */
export type PlainRecord = Readonly<Record<string, unknown>>;

/** A text file with its name on the command line. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

export interface CommandOutput {
  /** Prints one record or a list of them to standard output, in the format that `--format` names. */
  print(value: PlainRecord | readonly PlainRecord[]): Promise<void>;
  /** Writes to standard output as it is. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Writes a sentence on a line of its own to standard error. */
  note(sentence: string): Promise<void>;
  /** Shows at a terminal how far the command is, `12 of 40 lines, 30 %`, until it writes something or ends; elsewhere nothing. */
  progress(done: number, total: number, things: string): void;
}

/** The context of a command: the open store, the user and the values of the command line. */
export interface CommandContext<A extends Fields = Fields, O extends Fields = Fields> {
  readonly core: PluginCore;
  /** The operator of the machine, or the user that `--as` names. */
  readonly actor: Actor;
  /** Validated against the command's `arguments`. */
  readonly arguments: RowOf<A>;
  /** The given options, validated against the command's `options`, with defaults for those left out. */
  readonly options: RowOf<O>;
  readonly output: CommandOutput;
  /** The URL at which programs reach the service, without a path. */
  readonly serviceUrl: string;
  /** The folder in which relative paths of the command line begin. */
  readonly folder: string;
  /** The IANA name of the time zone of this machine, whatever TZ says, which may not be that of the service. */
  readonly machineTimezone: string;
  /**
   * Reads files together; `-` names standard input.
   * @throws HorariumError `bad_request` when one cannot be read, is not UTF-8 or is named twice.
   */
  readFiles(names: readonly string[]): Promise<readonly TextFile[]>;
}

/** PORT: a command of the command line. It opens the store, so it also takes `--as`, `--format` and the settings. */
export interface Command<A extends Fields = Fields, O extends Fields = Fields> {
  /** `app:export` */
  readonly name: string;
  /** What the command does; `horarium --help` shows the first sentence alone. */
  readonly summary: string;
  /** The heading of `--help` that lists it. @default 'Plugins:' */
  readonly group?: string;
  /**
   * Positional arguments in order; a field of the kind `texts` takes all that remain, so it comes last. For `ref('Company')`
   * people give an id, a code or a name, and the command gets the id; so it is with options.
   */
  readonly arguments?: A;
  /** `dry_run: flag(false)` is the switch `--dry-run`; a field of another kind takes a value. */
  readonly options?: O;
  run(context: CommandContext<A, O>): Promise<void>;
}

/** A command with any arguments and options. */
// biome-ignore lint/suspicious/noExplicitAny: Command is invariant in its fields, so only any accepts every command.
export type AnyCommand = Command<any, any>;

/** Returns the command unchanged; lets the compiler infer the types of its arguments and options. */
export function defineCommand<const A extends Fields, const O extends Fields>(command: Command<A, O>): Command<A, O> {
  return command;
}
