import { errorMessage } from '../errors.ts';
import type { AttemptHandle, AttemptReport, AttemptResult, Executor, OutputStream } from '../executor/executor.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import { nextTurn } from '../loop/next-turn.ts';
import type { RedactedStream } from '../redaction/redacted-stream.ts';
import { attemptOutcome, type StopCause } from './attempt-outcome.ts';
import type { FinishedAttempt } from './finish-jobs.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { PreparedAttempt } from './prepare-attempts.ts';

/** An attempt that runs in this process, from its start until its end is stored. */
export class LiveAttempt {
  readonly prepared: PreparedAttempt;
  readonly output = new OutputBuffer();
  pid: number | null = null;
  pidWritten = false;
  readonly #clock: Clock;
  #handle: AttemptHandle | null = null;
  #stop: StopCause | null = null;
  readonly #redacted: Readonly<Record<OutputStream, RedactedStream>>;
  /** Resolves when the output so far is in the buffer. */
  #written: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #result: AttemptResult | null = null;
  /** Monotonic time of its end. */
  #endedAt: Milliseconds = 0;

  constructor(prepared: PreparedAttempt, clock: Clock) {
    this.prepared = prepared;
    this.#clock = clock;
    const { redactor } = prepared;
    this.#redacted = { stdout: redactor.stream(), stderr: redactor.stream() };
  }

  get jobId(): number {
    return this.prepared.claim.job.id;
  }

  /** Null while it runs. */
  get result(): AttemptResult | null {
    return this.#result;
  }

  /** @param wake called when it has output to write, or has ended. */
  start(executor: Executor, wake: () => void): void {
    const { attempt } = this.prepared;
    const report: AttemptReport = {
      started: ({ pid }) => {
        this.pid = pid;
      },
      output: (stream, bytes) => {
        const written = this.#written.then(() => this.#write(stream, bytes, wake));
        this.#written = written.catch(() => undefined);
        return written;
      },
    };
    try {
      this.#handle = executor.start(attempt, report);
    } catch (error) {
      this.fail(`the executor ${executor.name} failed: ${errorMessage(error)}`);
      return;
    }
    void this.#handle.done.then((result) => this.#ended(result)).then(wake);
  }

  /** Ends the attempt as failed before it has started. */
  fail(reason: string): void {
    const finishedAt = this.#clock.now();
    this.#endedAt = this.#clock.elapsed();
    const redacted = this.prepared.redactor.redact(reason);
    this.#hasEnded = true;
    this.#result = { exitCode: null, signal: null, timedOut: false, reason: redacted, finishedAt, files: [] };
  }

  /** Asks the attempt to stop, unless it was asked before: the first cause counts. */
  requestStop(cause: StopCause): void {
    if (this.#stop || this.#hasEnded) return;
    this.#stop = cause;
    this.#handle?.stop(cause.reason);
  }

  /**
   * Stops the attempt and discards its output, because an executor that waits for room would never report the end.
   * @returns its end; null when it has ended already.
   */
  abandon(reason: string): Promise<unknown> | null {
    this.requestStop({ state: 'lost', reason });
    this.output.discard();
    return this.#result || !this.#handle ? null : this.#handle.done;
  }

  /** Returns the time until its output or its result must be written. */
  untilWrite(now: Instant): Milliseconds {
    return this.#result ? 0 : this.output.untilDue(now);
  }

  /**
   * Returns the outcome of the ended attempt, with the time of the end converted to the store's clock.
   * @param storeNow the present time of the store's clock.
   */
  finished(worker: string, storeNow: Instant): FinishedAttempt {
    const { claim, exitCodes, isFinal } = this.prepared;
    const result = this.#result as AttemptResult;
    const outcome = attemptOutcome(result, exitCodes, this.#stop);
    return {
      ...outcome,
      final: outcome.final || isFinal,
      jobId: claim.job.id,
      templateId: claim.job.runtemplate_id,
      worker,
      pid: this.pid,
      exitCode: result.exitCode,
      signal: result.signal,
      peakMemory: result.peakMemory ?? null,
      finishedAt: storeNow - Math.max(0, Math.round(this.#clock.elapsed() - this.#endedAt)),
    };
  }

  /** Redacts output slice by slice, and buffers each slice. Resolves when there is room for more. */
  async #write(stream: OutputStream, bytes: Uint8Array, wake: () => void): Promise<void> {
    let isFirst = true;
    for (const data of this.#redacted[stream].push(bytes)) {
      if (!isFirst) await nextTurn();
      isFirst = false;
      if (this.output.isDiscarded) return;
      if (data.length === 0) continue;
      const room = this.output.add({ stream, at: this.#clock.now(), data });
      wake();
      await room;
    }
  }

  async #ended(result: AttemptResult): Promise<void> {
    this.#hasEnded = true;
    this.#endedAt = this.#clock.elapsed();
    await this.#written;
    for (const stream of ['stdout', 'stderr'] as const) {
      const data = this.#redacted[stream].end();
      if (data.length > 0) void this.output.add({ stream, at: this.#clock.now(), data });
    }
    const reason = result.reason === null ? null : await this.prepared.redactor.redactInSlices(result.reason);
    this.#result = { ...result, reason };
  }
}
