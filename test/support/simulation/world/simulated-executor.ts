import type {
  Attempt,
  AttemptHandle,
  AttemptReport,
  AttemptResult,
  Executor,
  Instant,
  Milliseconds,
} from '@horarium/core';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import type { Random } from './random.ts';

/** The time in which an attempt really ran, which the store may record differently. */
export interface PhysicalRun {
  readonly jobId: number;
  readonly host: string;
  /** How many jobs the host runs at once; Infinity for a program elsewhere, or where one company may have all. */
  readonly capacity: number;
  readonly from: Instant;
  /** Null while it runs. */
  to: Instant | null;
}

/** The predetermined course of one attempt. */
export interface Script {
  readonly duration: Milliseconds;
  readonly exitCode: number;
  /** How long it continues after SIGTERM. */
  readonly ignoresStopFor: Milliseconds;
  readonly output: readonly string[];
}

export interface SimulatedExecutorOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly host: string;
  readonly capacity: number;
  readonly runs: PhysicalRun[];
  script(): Script;
}

/** The time between SIGTERM and SIGKILL. */
const grace: Milliseconds = 60_000;
/** The maximum delay until the launcher notices that the lease of its attempts has expired. */
const maxDelay: Milliseconds = 1000;

/**
 * Runs scripted attempts in virtual time. Like the launcher of native jobs it is a process of its own: its attempts
 * continue while the host is paused, and end when the host stops renewing their lease or is killed.
 */
export class SimulatedExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  readonly #options: SimulatedExecutorOptions;
  readonly #running = new Set<SimulatedAttempt>();
  #aliveUntil = Infinity;
  #watching = false;
  /** Reports that wait until the paused host is resumed; null = it is not paused. */
  #undelivered: (() => void)[] | null = null;

  constructor(options: SimulatedExecutorOptions) {
    this.#options = options;
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const { time, runs, host, capacity, script: write } = this.#options;
    const script = write();
    const run: PhysicalRun = { jobId: attempt.jobId, host, capacity, from: time.now, to: null };
    runs.push(run);
    const running = new SimulatedAttempt(time, run, script, (settle) => {
      this.#running.delete(running);
      this.#deliver(settle);
    });
    this.#running.add(running);
    this.#watch();
    report.started({ pid: 1000 + attempt.jobId });
    const encoder = new TextEncoder();
    script.output.forEach((text, index) => {
      time.in((script.duration * index) / script.output.length, () => {
        if (run.to === null)
          this.#deliver(() => void report.output(index % 3 === 2 ? 'stderr' : 'stdout', encoder.encode(text)));
      });
    });
    if (attempt.timeout !== null) time.in(attempt.timeout, () => running.requestStop(true));
    return running;
  }

  keepAlive(duration: Milliseconds): void {
    this.#aliveUntil = this.#options.time.now + duration;
  }

  /** Kills all attempts once their lease has expired. */
  #watch(): void {
    if (this.#watching || this.#running.size === 0) return;
    const { time, random } = this.#options;
    this.#watching = true;
    time.at(this.#aliveUntil + random.integer(0, maxDelay), () => {
      this.#watching = false;
      if (time.now >= this.#aliveUntil) this.kill('killed: the lease of its worker expired');
      this.#watch();
    });
  }

  /** Kills all attempts immediately. */
  kill(reason: string): void {
    for (const attempt of [...this.#running])
      attempt.end({ exitCode: null, signal: 'SIGKILL', timedOut: false, reason });
  }

  async close(): Promise<void> {
    this.kill('the worker was shut down');
  }

  /** Delays all reports until `resume`. */
  pause(): void {
    this.#undelivered ??= [];
  }

  resume(): void {
    const reports = this.#undelivered ?? [];
    this.#undelivered = null;
    for (const deliver of reports) deliver();
  }

  #deliver(report: () => void): void {
    if (this.#undelivered) this.#undelivered.push(report);
    else report();
  }
}

type End = Pick<AttemptResult, 'exitCode' | 'signal' | 'timedOut' | 'reason'>;

class SimulatedAttempt implements AttemptHandle {
  readonly done: Promise<AttemptResult>;
  readonly #time: VirtualTime;
  readonly #run: PhysicalRun;
  readonly #script: Script;
  readonly #onEnd: (settle: () => void) => void;
  readonly #resolve: (outcome: AttemptResult) => void;
  #stopRequested = false;

  constructor(time: VirtualTime, run: PhysicalRun, script: Script, onEnd: (settle: () => void) => void) {
    this.#time = time;
    this.#run = run;
    this.#script = script;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.done = promise;
    this.#resolve = resolve;
    const { exitCode } = script;
    time.in(script.duration, () => this.end({ exitCode, signal: null, timedOut: false, reason: null }));
  }

  stop(): void {
    this.requestStop(false);
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. */
  requestStop(timedOut: boolean): void {
    if (this.#stopRequested) return;
    this.#stopRequested = true;
    const { ignoresStopFor } = this.#script;
    const signal = ignoresStopFor > grace ? 'SIGKILL' : 'SIGTERM';
    this.#time.in(Math.min(ignoresStopFor, grace), () =>
      this.end({ exitCode: null, signal, timedOut, reason: timedOut ? 'it took too long' : null }),
    );
  }

  end(end: End): void {
    if (this.#run.to !== null) return;
    this.#run.to = this.#time.now;
    this.#onEnd(() => this.#resolve({ ...end, finishedAt: this.#time.now, files: [] }));
  }
}
