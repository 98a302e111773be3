import type { AttemptReport, AttemptResult, OutputStream } from '@horarium/core/plugin';
import type { Cleanup } from '../process/messages.ts';
import type { ProgramRun } from '../process/program-run.ts';
import type { Programs, ProgramToRun } from '../process/programs.ts';

/** How the command line of docker or podman is called. */
export interface CliSettings {
  /** By path or name. */
  readonly program: string;
  /** The whole environment of the command line. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The end of a call of a command line. */
export interface CliResult extends Pick<AttemptResult, 'exitCode' | 'signal'> {
  readonly lost: boolean;
  readonly stdout: string;
  /** Why it could not be called, or the last line that it wrote, which says why it failed. */
  readonly error: string;
}

/** How many characters are kept of what a command line writes. */
const keptOutput = 64 * 1024;

/** The command line of docker or podman. */
export class ContainerCli {
  readonly #programs: Programs;
  readonly #settings: CliSettings;

  constructor(programs: Programs, settings: CliSettings) {
    this.#programs = programs;
    this.#settings = settings;
  }

  /** @param more its `environment` reaches the command line besides its own, which it cannot replace. */
  start(args: readonly string[], report: AttemptReport, more: Partial<ProgramToRun> = {}): ProgramRun {
    const { program, environment } = this.#settings;
    const whole = { ...more.environment, ...environment };
    return this.#programs.run({ ...more, executable: program, arguments: args, environment: whole }, report);
  }

  /** The command that removes a container, whatever it does, with its volumes. */
  removal(name: string): Cleanup {
    const { program: executable, environment } = this.#settings;
    const words = ['rm', '--force', '--volumes', name];
    return { executable, arguments: words, environment, nothing: 'no such container' };
  }

  /** Calls the command line and waits for its end. Never rejects. */
  async call(args: readonly string[]): Promise<CliResult> {
    const output = new CliOutput();
    return output.resultOf(this.start(args, output));
  }
}

/** Keeps the end of what a command line writes. */
export class CliOutput implements AttemptReport {
  readonly #written: Record<OutputStream, string> = { stdout: '', stderr: '' };

  started(): void {}

  output(stream: OutputStream, bytes: Uint8Array): void {
    this.#written[stream] = (this.#written[stream] + Buffer.from(bytes).toString()).slice(-keptOutput);
  }

  /** The last line of stderr that is not empty, without the word with which command lines begin it. */
  get lastLine(): string {
    const line = this.#written.stderr.trimEnd().split('\n').at(-1) ?? '';
    return line.replace(/^(?:Error|docker): */i, '').slice(0, 500);
  }

  /** Waits for the end of a run that writes to this. */
  async resultOf({ done }: ProgramRun): Promise<CliResult> {
    const { exitCode, signal, lost = false, reason } = await done;
    return { exitCode, signal, lost, stdout: this.#written.stdout, error: reason ?? this.lastLine };
  }
}
