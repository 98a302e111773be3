import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { FrameKind } from '../frames.ts';
import type { Ended, LauncherEvent, LauncherSettings, RunCommand } from '../messages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { OutputForwarder } from './output-forwarder.ts';
import type { PipePool } from './pipe-pool.ts';
import type { SandboxKeeper } from './sandbox-keeper.ts';
import { type Refusal, refusalFor, spawnJob } from './spawn-job.ts';
import type { WorkingFolders } from './working-folders.ts';

/** The services of the launcher that all of its jobs share. */
export interface JobServices {
  readonly settings: LauncherSettings;
  readonly pipes: PipePool;
  readonly folders: WorkingFolders;
  readonly sandboxes: Sandboxes;
  readonly keeper: SandboxKeeper;
  report(attempt: number, event: LauncherEvent): void;
  send(frame: Buffer): void;
  /** Called when the job has ended and sent its last report. */
  ended(job: RunningJob): void;
}

/** A job, from the command to run it until none of its processes is left. */
export class RunningJob {
  readonly attempt: number;
  readonly command: RunCommand;
  /** Resolves to why its cleanup failed, or to null; null until that runs. */
  cleaning: Promise<string | null> | null = null;
  readonly #services: JobServices;
  readonly #output: OutputForwarder;
  #folder: string | null = null;
  #home: string | null = null;
  /** Null while it does not run. */
  #sandbox: Sandbox | null = null;
  #timedOut = false;
  #lost = false;
  #reason: string | null = null;
  /** The strongest signal that the service has sent to the job. */
  #ending: 'none' | 'terminated' | 'killed' = 'none';
  #exited = false;
  readonly #timers: (() => void)[] = [];

  constructor(attempt: number, command: RunCommand, services: JobServices) {
    this.attempt = attempt;
    this.command = command;
    this.#services = services;
    this.#output = new OutputForwarder(attempt, services.settings, services.send);
  }

  /** Its working directory, its own HOME and the folder of files that it was given, as far as it ever had them. */
  get folders(): string[] {
    return [this.#folder, this.#home, this.command.inputs].filter((folder) => folder !== null);
  }

  /** Whether it was killed because the server lost its lease, or is closing. */
  get wasLost(): boolean {
    return this.#lost;
  }

  /** Whether it did not end by itself. */
  get wasKilled(): boolean {
    return this.#ending !== 'none';
  }

  start(): void {
    if (this.#ending !== 'none') {
      this.#end(null, null);
      return;
    }
    const { folders, pipes, settings, sandboxes } = this.#services;
    try {
      this.#folder = folders.take(this.command.identity);
      if (this.command.ownHome) this.#home = folders.take(this.command.identity);
    } catch (error) {
      this.#refuse({
        exitCode: 126,
        reason: `The working directory could not be created: ${(error as Error).message}.`,
      });
      return;
    }
    const invocation = `${settings.launcher}.${this.attempt}`;
    let sandbox: Sandbox;
    try {
      sandbox = sandboxes.make(invocation, this.command.sandboxOptions);
    } catch (error) {
      this.#refuse({ exitCode: 126, reason: `Its processes could not be contained: ${(error as Error).message}.` });
      return;
    }
    const spawned = spawnJob(
      this.command,
      { invocation, sandbox, folder: this.#folder, home: this.#home },
      settings.executables,
      pipes,
    );
    if ('reason' in spawned) {
      this.#refuse(spawned, sandbox);
      return;
    }
    const { child, outputs } = spawned;
    child.once('error', (error) => this.#refuse(refusalFor(error, this.command.executable), sandbox));
    if (child.pid !== undefined) this.#watch(child, child.pid, sandbox, this.#folder, outputs);
  }

  /** Sends SIGTERM to the job, and SIGKILL after the grace. */
  stop(reason: string): void {
    if (this.#ending !== 'none' || this.#exited) return;
    this.#ending = 'terminated';
    this.#reason = reason;
    if (this.#sandbox === null) return;
    this.#services.keeper.terminate(this.#sandbox);
    this.#timers.push(longTimeout(this.command.grace, () => this.kill(reason)));
  }

  /** Kills the job because its server has lost the lease or is closing. */
  abandon(reason: string): void {
    if (this.#ending === 'none' && !this.#exited) this.#lost = true;
    this.kill(reason);
  }

  kill(reason: string): void {
    if (this.#ending === 'killed' || (this.#exited && this.#ending === 'none')) return;
    this.#ending = 'killed';
    this.#reason ??= reason;
    if (this.#sandbox !== null) void this.#services.keeper.kill(this.#sandbox);
  }

  credit(bytes: number): void {
    this.#output.credit(bytes);
  }

  #watch(
    child: ChildProcess,
    pid: number,
    sandbox: Sandbox,
    folder: string,
    outputs: readonly [number, number] | null,
  ): void {
    this.#sandbox = sandbox;
    this.#services.report(this.attempt, { event: 'started', pid, folder });
    child.once('exit', (code, signal) => void this.#exit(sandbox, code, signal));
    // Node types its sockets as mere streams.
    const [stdout, stderr] = outputs ?? [child.stdout as Socket, child.stderr as Socket];
    this.#output.attach(FrameKind.stdout, stdout);
    this.#output.attach(FrameKind.stderr, stderr);
    const { timeout } = this.command;
    if (timeout !== null) this.#timers.push(longTimeout(timeout, () => this.#timeOut(timeout)));
  }

  #timeOut(timeout: number): void {
    if (this.#ending !== 'none' || this.#exited) return;
    this.#timedOut = true;
    this.stop(`It ran longer than its timeout of ${timeout / 1000} s.`);
  }

  async #exit(sandbox: Sandbox, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const { keeper } = this.#services;
    const finishedAt = Date.now();
    this.#exited = true;
    // Children of a shell may still be cleaning up: the grace is theirs as well.
    if (this.#ending === 'terminated') await keeper.emptied(sandbox);
    for (const clear of this.#timers) clear();
    if (!sandbox.isEmpty()) {
      const hasGroup = sandbox.group?.signal('SIGKILL') === true;
      // Nothing follows a success at once. A failure may be retried, and the retry must meet no process of this attempt.
      const isFinal = code === 0 && this.#ending === 'none';
      if (hasGroup || !isFinal || sandbox.isEmpty() === false) await keeper.kill(sandbox);
    }
    if (!(await this.#output.closed(100))) {
      await keeper.kill(sandbox);
      // A process that was not found, or waits for a disk, keeps the output open.
      if (!(await this.#output.closed(100))) this.#output.abandon();
    }
    const usage = sandbox.usage();
    this.#sandbox = null;
    if (usage?.ranOutOfMemory && code !== 0) this.#reason ??= 'It was killed, because it reached its limit of memory.';
    this.#end(code, signal, finishedAt, usage?.peakMemory ?? null);
    keeper.remove(sandbox);
  }

  #refuse({ exitCode, reason }: Refusal, sandbox?: Sandbox): void {
    this.#reason = reason;
    if (sandbox) {
      sandbox.kill();
      this.#services.keeper.remove(sandbox);
    }
    this.#end(exitCode, null);
  }

  #end(
    exitCode: number | null,
    signal: string | null,
    finishedAt = Date.now(),
    peakMemory: number | null = null,
  ): void {
    const ended: Ended = {
      event: 'ended',
      exitCode,
      signal,
      timedOut: this.#timedOut,
      lost: this.#lost,
      reason: this.#reason,
      peakMemory,
      finishedAt,
    };
    this.#services.report(this.attempt, ended);
    this.#services.ended(this);
  }
}

/** The maximum of a timer of Node, in milliseconds; a longer one would fire at once. */
const maxTimer = 2 ** 31 - 1;

/** Calls back after any number of milliseconds, be it months. @returns a function that cancels it. */
function longTimeout(duration: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(() => (left > maxTimer ? wait(left - maxTimer) : callback()), Math.min(left, maxTimer));
  };
  wait(duration);
  return () => clearTimeout(timer);
}
