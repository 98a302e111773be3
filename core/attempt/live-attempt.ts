import type { ExitCode } from '../app/declarations.ts';
import type { Attempt, AttemptHandle, AttemptReport, Executor, Outcome } from '../executor/executor.ts';
import type { JobRow } from '../job/job.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { JobResult } from './finish-jobs.ts';
import { judgeAttempt, type StopCause } from './judge-attempt.ts';
import { OutputBuffer } from './output-buffer.ts';

/** Everything that is needed to start one attempt and to judge its end. */
export interface PreparedAttempt {
  readonly job: Pick<JobRow, 'id' | 'runtemplate_id' | 'executor'>;
  readonly attempt: Attempt;
  readonly exitCodes: Readonly<Record<string, ExitCode>>;
  /** Hides secret values in what the job writes; called with the end of the output once, as `last`. */
  readonly hide: (stream: 'stdout' | 'stderr', bytes: Uint8Array, last: boolean) => Uint8Array;
  /** Hides secret values in one text. */
  readonly hideIn: (text: string) => string;
}

/** One attempt that runs in this process, from its start until its end is in the store. */
export class LiveAttempt {
  readonly prepared: PreparedAttempt;
  readonly output = new OutputBuffer();
  pid: number | null = null;
  pidWritten = false;
  outcome: Outcome | null = null;
  stop: StopCause | null = null;
  /** Stopwatch time of its end. */
  endedAt: Milliseconds = 0;
  running: AttemptHandle | null = null;

  constructor(prepared: PreparedAttempt) {
    this.prepared = prepared;
  }

  start(executor: Executor, clock: Clock, wake: () => void): void {
    const { attempt, hide } = this.prepared;
    const report: AttemptReport = {
      started: ({ pid }) => {
        this.pid = pid;
      },
      output: (stream, bytes) => {
        const data = hide(stream, bytes, false);
        if (data.length === 0) return;
        const wait = this.output.add({ stream, at: clock.now(), data });
        wake();
        return wait;
      },
    };
    try {
      this.running = executor.start(attempt, report);
    } catch (error) {
      this.refuse(`the executor ${executor.name} failed: ${messageOf(error)}`, clock);
      return;
    }
    void this.running.done.then((outcome) => this.#ended(outcome, clock, wake));
  }

  /** Ends it before it began. */
  refuse(reason: string, clock: Clock): void {
    this.endedAt = clock.elapsed();
    this.outcome = { exitCode: null, signal: null, timedOut: false, reason, finishedAt: clock.now(), files: [] };
  }

  /** Asks it to end; the first cause counts. */
  requestStop(cause: StopCause): void {
    if (this.stop || this.outcome) return;
    this.stop = cause;
    this.running?.stop(cause.reason);
  }

  /** Stops it, and drops what it writes: an executor that waited for room would never say that it has ended. */
  abandon(reason: string): void {
    this.requestStop({ state: 'lost', reason });
    this.output.discard();
  }

  /** How it ended, in the store's time: `storeNow` is what the store's clock shows at this moment. */
  end(worker: string, storeNow: number, clock: Clock): JobResult {
    const outcome = this.outcome as Outcome;
    const judged = judgeAttempt(outcome, this.prepared.exitCodes, this.stop);
    return {
      ...judged,
      reason: judged.reason === null ? null : this.prepared.hideIn(judged.reason),
      jobId: this.prepared.job.id,
      templateId: this.prepared.job.runtemplate_id,
      worker,
      pid: this.pid,
      exitCode: outcome.exitCode,
      signal: outcome.signal,
      finishedAt: storeNow - Math.max(0, Math.round(clock.elapsed() - this.endedAt)),
    };
  }

  #ended(outcome: Outcome, clock: Clock, wake: () => void): void {
    this.endedAt = clock.elapsed();
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.prepared.hide(stream, new Uint8Array(), true);
      if (rest.length > 0) void this.output.add({ stream, at: clock.now(), data: rest });
    }
    this.outcome = outcome;
    wake();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
