import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { FrameKind } from '../frames.ts';
import type { Ended, LauncherEvent, LauncherSettings, RunCommand } from '../messages.ts';
import { signalGroup } from '../sessions.ts';
import { OutputForwarder } from './output-forwarder.ts';
import type { PipePool } from './pipe-pool.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { type Refusal, refusalFor, spawnJob } from './spawn-job.ts';
import type { WorkingFolders } from './working-folders.ts';

/** The services of the launcher that all of its jobs share. */
export interface JobServices {
  readonly settings: LauncherSettings;
  readonly pipes: PipePool;
  readonly folders: WorkingFolders;
  readonly keeper: SessionKeeper;
  report(attempt: number, event: LauncherEvent): void;
  send(frame: Buffer): void;
  /** Called when the job has started. */
  started(job: RunningJob): void;
  /** Called when the job has ended and sent its last report. */
  ended(job: RunningJob): void;
}

/** A job, from the command to run it until none of its processes is left. */
export class RunningJob {
  readonly attempt: number;
  readonly command: RunCommand;
  readonly #services: JobServices;
  readonly #output: OutputForwarder;
  #folder: string | null = null;
  #pid: number | null = null;
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

  /** Its working directory; null where it never had one. */
  get folder(): string | null {
    return this.#folder;
  }

  /** The id of the session and process group of the job; null while it does not run. */
  get leader(): number | null {
    return this.#pid;
  }

  start(): void {
    if (this.#ending !== 'none') {
      this.#end(null, null);
      return;
    }
    const { folders, pipes, settings } = this.#services;
    try {
      this.#folder = folders.take(this.command.identity);
    } catch (error) {
      this.#refuse({
        exitCode: 126,
        reason: `The working directory could not be created: ${(error as Error).message}.`,
      });
      return;
    }
    const spawned = spawnJob(this.command, this.#folder, settings.executables, pipes);
    if ('reason' in spawned) {
      this.#refuse(spawned);
      return;
    }
    const { child, outputs } = spawned;
    child.once('error', (error) => this.#refuse(refusalFor(error, this.command.executable)));
    if (child.pid !== undefined) this.#watch(child, child.pid, this.#folder, outputs);
  }

  /** Sends SIGTERM to the job, and SIGKILL after the grace. */
  stop(reason: string): void {
    if (this.#ending !== 'none' || this.#exited) return;
    this.#ending = 'terminated';
    this.#reason = reason;
    if (this.#pid === null) return;
    this.#services.keeper.terminate(this.#pid);
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
    if (this.#pid !== null) void this.#services.keeper.kill(this.#pid);
  }

  credit(bytes: number): void {
    this.#output.credit(bytes);
  }

  #watch(child: ChildProcess, pid: number, folder: string, outputs: readonly [number, number] | null): void {
    this.#pid = pid;
    this.#services.keeper.forget(pid);
    this.#services.report(this.attempt, { event: 'started', pid, folder });
    this.#services.started(this);
    child.once('exit', (code, signal) => void this.#exit(pid, code, signal));
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

  async #exit(leader: number, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const { keeper } = this.#services;
    const finishedAt = Date.now();
    this.#exited = true;
    // Children of a shell may still be cleaning up: the grace is theirs as well.
    if (this.#ending === 'terminated') await keeper.emptied(leader);
    for (const clear of this.#timers) clear();
    if (signalGroup(leader, 'SIGKILL')) await keeper.kill(leader);
    if (!(await this.#output.closed(100))) {
      // A process keeps the output open: one of the session, or a daemon that left the session and is not killed.
      await keeper.kill(leader);
      if (!(await this.#output.closed(100))) this.#output.abandon();
    }
    keeper.ended(leader);
    this.#pid = null;
    this.#end(code, signal, finishedAt);
  }

  #refuse({ exitCode, reason }: Refusal): void {
    this.#reason = reason;
    this.#end(exitCode, null);
  }

  #end(exitCode: number | null, signal: string | null, finishedAt = Date.now()): void {
    const ended: Ended = {
      event: 'ended',
      exitCode,
      signal,
      timedOut: this.#timedOut,
      lost: this.#lost,
      reason: this.#reason,
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
