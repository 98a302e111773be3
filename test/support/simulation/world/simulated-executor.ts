import type { Attempt, AttemptHandle, AttemptReport, Executor, Instant, Milliseconds, Outcome } from '@horarium/core';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One attempt as it physically ran, whatever the store was told of it. */
export interface PhysicalRun {
  readonly jobId: number;
  readonly host: string;
  readonly from: Instant;
  /** Null while it runs. */
  to: Instant | null;
}

/** How one attempt will go. */
export interface Script {
  readonly duration: Milliseconds;
  readonly exitCode: number;
  /** How long it goes on after it was politely asked to stop. */
  readonly ignoresStopFor: Milliseconds;
  readonly output: readonly string[];
}

export interface SimulatedExecutorOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly host: string;
  readonly runs: PhysicalRun[];
  write(): Script;
}

/** How long a process is given to end after it was asked to. */
const grace: Milliseconds = 60_000;
/** How late the launcher may notice that nobody keeps its attempts alive any more. */
const latest: Milliseconds = 1000;

/**
 * Attempts that follow a script in virtual time. Like the launcher of native jobs it is no part of the process that
 * uses it: its attempts go on while that is paused, but end when nobody keeps them alive, and when it is killed.
 */
export class SimulatedExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  readonly #options: SimulatedExecutorOptions;
  readonly #running = new Set<SimulatedAttempt>();
  #aliveUntil = Infinity;
  #watching = false;
  /** What the paused process has not heard yet; null while it is not paused. */
  #unheard: (() => void)[] | null = null;

  constructor(options: SimulatedExecutorOptions) {
    this.#options = options;
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const { time, runs, host, write } = this.#options;
    const script = write();
    const run: PhysicalRun = { jobId: attempt.jobId, host, from: time.now, to: null };
    runs.push(run);
    const running = new SimulatedAttempt(time, run, script, (settle) => {
      this.#running.delete(running);
      this.#tell(settle);
    });
    this.#running.add(running);
    this.#watch();
    report.started({ pid: 1000 + attempt.jobId });
    const encoder = new TextEncoder();
    script.output.forEach((text, index) => {
      time.in((script.duration * index) / script.output.length, () => {
        if (run.to === null)
          this.#tell(() => void report.output(index % 3 === 2 ? 'stderr' : 'stdout', encoder.encode(text)));
      });
    });
    if (attempt.timeout !== null) time.in(attempt.timeout, () => running.ask(true));
    return running;
  }

  keepAlive(duration: Milliseconds): void {
    this.#aliveUntil = this.#options.time.now + duration;
  }

  /** Looks, as long as anything runs, whether somebody still keeps it alive. */
  #watch(): void {
    if (this.#watching || this.#running.size === 0) return;
    const { time, random } = this.#options;
    this.#watching = true;
    time.at(this.#aliveUntil + random.whole(0, latest), () => {
      this.#watching = false;
      if (time.now >= this.#aliveUntil) this.kill('killed: the lease of its worker ran out');
      this.#watch();
    });
  }

  /** Ends everything at once. */
  kill(reason: string): void {
    for (const attempt of [...this.#running])
      attempt.end({ exitCode: null, signal: 'SIGKILL', timedOut: false, reason });
  }

  async close(): Promise<void> {
    this.kill('the worker was shut down');
  }

  /** The process that uses it hears nothing until it goes on. */
  pause(): void {
    this.#unheard ??= [];
  }

  resume(): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = null;
    for (const tell of unheard) tell();
  }

  #tell(tell: () => void): void {
    if (this.#unheard) this.#unheard.push(tell);
    else tell();
  }
}

type End = Pick<Outcome, 'exitCode' | 'signal' | 'timedOut' | 'reason'>;

class SimulatedAttempt implements AttemptHandle {
  readonly done: Promise<Outcome>;
  readonly #time: VirtualTime;
  readonly #run: PhysicalRun;
  readonly #script: Script;
  readonly #onEnd: (settle: () => void) => void;
  readonly #resolve: (outcome: Outcome) => void;
  #asked = false;

  constructor(time: VirtualTime, run: PhysicalRun, script: Script, onEnd: (settle: () => void) => void) {
    this.#time = time;
    this.#run = run;
    this.#script = script;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.done = promise;
    this.#resolve = resolve;
    const { exitCode } = script;
    time.in(script.duration, () => this.end({ exitCode, signal: null, timedOut: false, reason: null }));
  }

  stop(): void {
    this.ask(false);
  }

  /** Asks it to stop, then makes it. */
  ask(timedOut: boolean): void {
    if (this.#asked) return;
    this.#asked = true;
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
