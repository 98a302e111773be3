import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ArtifactFile,
  AsyncAttempt,
  AsyncOutcome,
  AttemptLimits,
  Clock,
  Milliseconds,
} from '@horarium/core/plugin';
import type { ProgramRun } from '../process/program-run.ts';
import { collectArtifacts } from '../process/working-folder/artifact-collection.ts';
import { removeFolder } from '../process/working-folder/remove-folder.ts';
import { CliOutput, type CliResult, type ContainerCli } from './container-cli.ts';
import { type ContainerAttempt, containerDefinition, leavesFiles, workingFolder } from './create-arguments.ts';

export interface ContainerRunSettings {
  readonly cli: ContainerCli;
  readonly folder: string;
  readonly clock: Clock;
  readonly extra: readonly string[];
  readonly limits: AttemptLimits;
  readonly grace: Milliseconds;
  log(sentence: string): void;
}

/** How long a container that says nothing must run until it counts as started: one that cannot start fails sooner. */
const startDelay: Milliseconds = 500;
/** How long the command line may go on after it has stopped the container. */
const stopTime: Milliseconds = 10_000;

/** The state of a container, as `inspect` prints it. */
const stateFormat = '{{.State.ExitCode}} {{.State.OOMKilled}} {{.State.StartedAt}}';

/**
 * One attempt in a container: created, started with its output attached, and removed. `--rm` is not used, because the
 * docker command line loses the exit code by it on the socket of podman.
 */
export class ContainerRun {
  readonly #attempt: AsyncAttempt & ContainerAttempt;
  readonly #name: string;
  readonly #settings: ContainerRunSettings;

  constructor(attempt: AsyncAttempt & ContainerAttempt, name: string, settings: ContainerRunSettings) {
    this.#attempt = attempt;
    this.#name = name;
    this.#settings = settings;
  }

  /** Runs the attempt until its container is removed. */
  async run(): Promise<AsyncOutcome> {
    const { log } = this.#settings;
    const output = new CliOutput();
    const creating = this.#create(output);
    try {
      const created = await this.#resultOf(creating, output);
      if (created.lost) return lost(created);
      if (created.exitCode !== 0) return this.#notCreated(created);
      const outcome = this.#attempt.signal.aborted ? {} : await this.#start();
      const isWanted = !outcome.lost && !this.#attempt.signal.aborted && leavesFiles(this.#attempt);
      return { ...outcome, files: isWanted ? await this.#collect() : [] };
    } finally {
      const problem = await creating.release();
      if (problem !== null) log(`the container ${this.#name} could not be removed: ${problem}`);
    }
  }

  /**
   * Creates the container, whose removal is the cleanup of this run. Its environment is the input of the command line, so
   * that it is in no file with a name.
   */
  #create(output: CliOutput): ProgramRun {
    const { cli, extra } = this.#settings;
    const { arguments: words, environmentFile, passed } = containerDefinition(this.#attempt, this.#name, extra);
    return cli.start(['create', '--env-file', '/dev/stdin', ...words], output, {
      environment: passed,
      stdin: environmentFile,
      retainFolder: true,
      cleanup: cli.removal(this.#name),
    });
  }

  #notCreated({ exitCode, signal, error }: CliResult): AsyncOutcome {
    if (exitCode === 127) return { exitCode, reason: error };
    const why = error || `the command line ended (${signal ?? 'without a reason'})`;
    return { exitCode: 126, reason: `no container of ${this.#attempt.image} could be created: ${why}` };
  }

  /** Starts the container, hands its output over, and waits for its end. */
  async #start(): Promise<AsyncOutcome> {
    const { cli, clock } = this.#settings;
    const { stdin } = this.#attempt;
    const interactive = stdin === null ? [] : ['--interactive'];
    const tail = new CliOutput();
    const over = new AbortController();
    const running = cli.start(
      ['start', '--attach', ...interactive, this.#name],
      {
        started: () =>
          void clock.sleep(startDelay, over.signal).then(() => over.signal.aborted || this.#attempt.started()),
        output: async (stream, bytes) => {
          tail.output(stream, bytes);
          // The command line writes to stderr by itself only when nothing has started.
          if (stream === 'stdout') this.#attempt.started();
          await this.#attempt.write(bytes, stream);
        },
      },
      { stdin },
    );
    const result = await this.#resultOf(running, tail, over.signal);
    over.abort();
    if (result.exitCode !== 0) return this.#outcome(result);
    this.#attempt.started();
    return { exitCode: 0 };
  }

  /** Tells why a container ended that did not succeed: the program did, it could not start, or the command line died. */
  async #outcome(result: CliResult): Promise<AsyncOutcome> {
    const { exitCode: code, signal: killedBy, error } = result;
    if (this.#attempt.signal.aborted) return {};
    if (result.lost) return lost(result);
    if (killedBy !== null) {
      this.#attempt.started();
      const reason = `the command line that watched the container was killed by ${killedBy}; the container was removed`;
      return { exitCode: null, signal: killedBy, lost: true, reason };
    }
    const { executable, image } = this.#attempt;
    const inspected = await this.#settings.cli.call(['inspect', '--format', stateFormat, this.#name]);
    const [exitCode = '', outOfMemory, startedAt = ''] = inspected.stdout.trim().split(' ');
    const hasStarted = inspected.exitCode === 0 && !startedAt.startsWith('0001');
    if (inspected.exitCode === 0 && !hasStarted) {
      const reason = `${executable} could not be started in ${image}: ${error}`;
      return { exitCode: /permission denied/i.test(error) ? 126 : 127, reason };
    }
    this.#attempt.started();
    const reason = outOfMemory === 'true' ? 'it used more memory than it may, and was killed' : null;
    return { exitCode: hasStarted ? Number(exitCode) : code, reason };
  }

  /**
   * Waits for a run of the command line. Where the attempt is stopped meanwhile, the program that runs in the container is
   * asked to end, and has its grace.
   * @param over aborts when the run of a container has ended; undefined = none runs yet.
   */
  async #resultOf(run: ProgramRun, output: CliOutput, over?: AbortSignal): Promise<CliResult> {
    const { signal } = this.#attempt;
    const end = () => run.stop('it was stopped');
    const stop = () => void (over ? this.#stop(end, over) : end());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const result = await output.resultOf(run);
    signal.removeEventListener('abort', stop);
    return result;
  }

  /** Asks the program to end, and has it killed after the grace. */
  async #stop(endCli: () => void, over: AbortSignal): Promise<void> {
    const { cli, grace, clock } = this.#settings;
    await cli.call(['stop', '--time', String(Math.ceil(grace / 1000)), this.#name]);
    await clock.sleep(stopTime, over);
    if (!over.aborted) endCli();
  }

  /** Copies the working directory out of the container, and reads the files that the App names. */
  async #collect(): Promise<readonly ArtifactFile[]> {
    const { cli, folder, limits } = this.#settings;
    const copy = await mkdtemp(join(folder, 'horarium-files-'));
    try {
      const { exitCode, error } = await cli.call(['cp', `${this.#name}:${workingFolder}/.`, copy]);
      const { resultFile, artifacts } = this.#attempt;
      const { files, notes } = await collectArtifacts(copy, { resultFile, artifacts, owner: null }, limits);
      if (exitCode !== 0) notes.push(`files could not be copied from the container: ${error}`);
      for (const note of notes) await this.#attempt.write(`[horarium: ${note}]\n`, 'stderr');
      return files;
    } finally {
      await removeFolder(copy);
    }
  }
}

function lost({ error: reason }: CliResult): AsyncOutcome {
  return { exitCode: null, lost: true, reason };
}
