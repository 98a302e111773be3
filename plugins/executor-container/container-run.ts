import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type {
  ArtifactFile,
  AsyncAttempt,
  AsyncOutcome,
  AttemptLimits,
  Clock,
  Milliseconds,
  OutputStream,
} from '@horarium/core/plugin';
import { collectArtifacts } from '../process/working-folder/artifact-collection.ts';
import { removeFolder } from '../process/working-folder/remove-folder.ts';
import { type CliResult, type CliSettings, callCli, endOf, lastLine, startCli } from './container-cli.ts';
import { type ContainerOwner, hostLabel, jobLabel, ownerLabel } from './container-owner.ts';
import { type ContainerAttempt, containerDefinition, leavesFiles, workingFolder } from './create-arguments.ts';

export interface ContainerRunSettings {
  readonly cli: CliSettings;
  readonly owner: ContainerOwner;
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
/** How much of the end of stderr is kept, which tells why a container could not start. */
const keptTail = 2000;

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
  #lapsed = false;

  constructor(attempt: AsyncAttempt & ContainerAttempt, name: string, settings: ContainerRunSettings) {
    this.#attempt = attempt;
    this.#name = name;
    this.#settings = settings;
  }

  /** Notes that the lease ran out, and that the watchdog removes the container. */
  lapse(): void {
    this.#lapsed = true;
  }

  /** Runs the attempt until its container is removed. */
  async run(): Promise<AsyncOutcome> {
    try {
      const created = await this.#create();
      if (created.code !== 0) return this.#notCreated(created);
      const outcome = this.#attempt.signal.aborted ? {} : await this.#start();
      const isWanted = !this.#lapsed && !this.#attempt.signal.aborted && leavesFiles(this.#attempt);
      const files = isWanted ? await this.#collect() : [];
      return this.#lapsed
        ? { exitCode: null, lost: true, reason: 'the lease of the worker ran out' }
        : { ...outcome, files };
    } finally {
      await this.#remove();
    }
  }

  /** Creates the container. Its environment is in a file that only this user can read, and that is gone when it starts. */
  async #create(): Promise<CliResult> {
    const { cli, owner, folder, extra } = this.#settings;
    const labels = { [jobLabel]: String(this.#attempt.jobId), [hostLabel]: owner.host, [ownerLabel]: owner.name };
    const definition = containerDefinition(this.#attempt, this.#name, labels, extra);
    const secrets = await mkdtemp(join(folder, 'horarium-env-'));
    try {
      const file = join(secrets, 'environment');
      await writeFile(file, definition.environmentFile, { mode: 0o600 });
      const args = ['create', '--env-file', file, ...definition.arguments];
      return await callCli(cli, args, { passed: definition.passed, signal: this.#attempt.signal });
    } finally {
      await rm(secrets, { recursive: true, force: true });
    }
  }

  #notCreated({ missing, error, signal }: CliResult): AsyncOutcome {
    if (missing) return { exitCode: 127, reason: error };
    const why = error || `the command line ended (${signal ?? 'without a reason'})`;
    return { exitCode: 126, reason: `no container of ${this.#attempt.image} could be created: ${why}` };
  }

  /** Starts the container, hands its output over, and waits for its end. */
  async #start(): Promise<AsyncOutcome> {
    const { clock } = this.#settings;
    const { stdin, signal } = this.#attempt;
    const interactive = stdin === null ? [] : ['--interactive'];
    const child = startCli(this.#settings.cli, ['start', '--attach', ...interactive, this.#name]);
    const ended = endOf(child);
    child.once('exit', (_code, killedBy) => {
      // Whatever the program still writes is not waited for: nothing watches it any more.
      if (killedBy !== null) for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    });
    const over = new AbortController();
    void clock.sleep(startDelay, over.signal).then(() => over.signal.aborted || this.#attempt.started());
    const stop = () => void this.#stop(() => child.kill('SIGKILL'), over.signal);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.stdin?.on('error', () => undefined).end(stdin ?? '');
    let tail = '';
    const keep = (bytes: Uint8Array) => {
      tail = (tail + Buffer.from(bytes).toString()).slice(-keptTail);
    };
    await Promise.all([this.#forward(child.stdout, 'stdout'), this.#forward(child.stderr, 'stderr', keep)]);
    const { code, signal: killedBy, failure } = await ended;
    over.abort();
    signal.removeEventListener('abort', stop);
    if (code === 0) {
      this.#attempt.started();
      return { exitCode: 0 };
    }
    return this.#outcome(failure ?? lastLine(tail), code, killedBy);
  }

  /** Tells why a container ended that did not succeed: the program did, it could not start, or the command line died. */
  async #outcome(error: string, code: number | null, killedBy: string | null): Promise<AsyncOutcome> {
    if (this.#lapsed || this.#attempt.signal.aborted) return {};
    if (killedBy !== null) {
      this.#attempt.started();
      const reason = `the command line that watched the container was killed by ${killedBy}; the container was removed`;
      return { exitCode: null, signal: killedBy, lost: true, reason };
    }
    const { executable, image } = this.#attempt;
    const inspected = await callCli(this.#settings.cli, ['inspect', '--format', stateFormat, this.#name]);
    const [exitCode = '', outOfMemory, startedAt = ''] = inspected.stdout.trim().split(' ');
    const hasStarted = inspected.code === 0 && !startedAt.startsWith('0001');
    if (inspected.code === 0 && !hasStarted) {
      const reason = `${executable} could not be started in ${image}: ${error}`;
      return { exitCode: /permission denied/i.test(error) ? 126 : 127, reason };
    }
    this.#attempt.started();
    const reason = outOfMemory === 'true' ? 'it used more memory than it may, and was killed' : null;
    return { exitCode: hasStarted ? Number(exitCode) : code, reason };
  }

  async #forward(source: Readable | null, stream: OutputStream, keep?: (bytes: Uint8Array) => void): Promise<void> {
    try {
      for await (const bytes of source ?? []) {
        keep?.(bytes);
        // The command line writes to stderr by itself only when nothing has started.
        if (stream === 'stdout') this.#attempt.started();
        await this.#attempt.write(bytes, stream);
      }
    } catch {
      // A pipe that breaks ends with its process.
    }
  }

  /** Asks the program to end, and has it killed after the grace. @param over aborts when the command line has ended. */
  async #stop(killCli: () => void, over: AbortSignal): Promise<void> {
    const { cli, grace, clock } = this.#settings;
    await callCli(cli, ['stop', '--time', String(Math.ceil(grace / 1000)), this.#name]);
    await clock.sleep(stopTime, over);
    if (!over.aborted) killCli();
  }

  /** Copies the working directory out of the container, and reads the files that the App names. */
  async #collect(): Promise<readonly ArtifactFile[]> {
    const { cli, folder, limits } = this.#settings;
    const copy = await mkdtemp(join(folder, 'horarium-files-'));
    try {
      const { code, error } = await callCli(cli, ['cp', `${this.#name}:${workingFolder}/.`, copy]);
      const { resultFile, artifacts } = this.#attempt;
      const { files, notes } = await collectArtifacts(copy, { resultFile, artifacts, owner: null }, limits);
      if (code !== 0) notes.push(`files could not be copied from the container: ${error}`);
      for (const note of notes) await this.#attempt.write(`[horarium: ${note}]\n`, 'stderr');
      return files;
    } finally {
      await removeFolder(copy);
    }
  }

  async #remove(): Promise<void> {
    const { code, error } = await callCli(this.#settings.cli, ['rm', '--force', '--volumes', this.#name]);
    if (code === 0 || /no such container/i.test(error)) return;
    this.#settings.log(`the container ${this.#name} could not be removed: ${error}`);
  }
}
