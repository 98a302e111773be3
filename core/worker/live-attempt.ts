import { concatenate } from '../bytes/concatenate.ts';
import { errorMessage } from '../errors.ts';
import { type AttemptProgress, shownProgress } from '../executor/attempt-progress.ts';
import {
  type ArtifactFile,
  type AttemptHandle,
  type AttemptReport,
  type AttemptResult,
  type Executor,
  type OutputStream,
  outputStreams,
} from '../executor/executor.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { DailyQuota } from '../quota/daily-quota.ts';
import type { UsageOwner } from '../quota/daily-usage.ts';
import type { RedactedStream } from '../redaction/stream.ts';
import { pluginOf } from '../registry/plugin-mistakes.ts';
import { attemptOutcome, type StopCause } from './finish/attempt-outcome.ts';
import type { FinishedAttempt } from './finish/finish-jobs.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { PreparedAttempt } from './prepare-attempts.ts';
import { ProgressBuffer } from './progress-buffer.ts';

const encoder = new TextEncoder();
const newline = 0x0a;

/** The result of an attempt that its executor did not start. */
const neverStarted = { exitCode: null, signal: null, timedOut: false, files: [] };

/** An attempt that runs in this process, from its start until its end is stored. */
export class LiveAttempt {
  readonly prepared: PreparedAttempt;
  readonly output = new OutputBuffer();
  /** Null where it has not reported any. */
  progress: ProgressBuffer | null = null;
  pid: number | null = null;
  pidWritten = false;
  readonly #clock: Clock;
  readonly #quota: DailyQuota;
  readonly #owner: UsageOwner;
  #handle: AttemptHandle | null = null;
  #stop: StopCause | null = null;
  readonly #redacted: Readonly<Record<OutputStream, RedactedStream>>;
  /** Resolves when the output so far is in the buffer. */
  #written: Promise<void> = Promise.resolve();
  /** Whether the rest of its output is dropped, because its company may store no more today. */
  #isCut = false;
  /** The last byte of each stream. */
  readonly #last = { stdout: newline, stderr: newline };
  #hasEnded = false;
  #result: AttemptResult | null = null;
  /** How many of its files are not stored, because its company may store no more today. */
  #unstored = 0;
  /** Monotonic time of its end. */
  #endedAt: Milliseconds = 0;

  constructor(prepared: PreparedAttempt, clock: Clock, quota: DailyQuota) {
    this.prepared = prepared;
    this.#clock = clock;
    this.#quota = quota;
    this.#owner = `company ${prepared.claim.job.company_id}`;
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
      output: (stream, bytes, cut = false) => {
        const written = this.#written.then(() => {
          if (cut) this.#cut();
          return this.#write(stream, bytes, wake);
        });
        this.#written = written.catch(() => undefined);
        return written;
      },
      progress: (progress) => {
        if (this.#hasEnded) return;
        this.progress ??= new ProgressBuffer(this.#clock);
        if (this.progress.set(shownProgress(progress))) wake();
      },
    };
    // An executor that throws, or whose result rejects, has a mistake in its code.
    const failed = (error: unknown): AttemptResult => {
      const plugin = pluginOf(executor);
      const culprit = `the executor ${executor.name}${plugin === undefined ? '' : ` of the plugin ${plugin}`}`;
      return { ...neverStarted, reason: `${culprit} failed: ${errorMessage(error)}`, finishedAt: this.#clock.now() };
    };
    try {
      this.#handle = executor.start(attempt, report);
    } catch (error) {
      void this.#ended(failed(error)).then(wake);
      return;
    }
    void this.#handle.done
      .catch(failed)
      .then((result) => this.#ended(result))
      .then(wake);
  }

  /** Masks what the attempt was given in its progress. */
  async redacted({ progress, message }: AttemptProgress): Promise<AttemptProgress> {
    if (message === null) return { progress, message };
    // Masks may make a message longer than it may be.
    return shownProgress({ progress, message: await this.prepared.redactor.redact(message) });
  }

  /** Ends the attempt as failed before it has started. @param reason holds no secret. */
  fail(reason: string): void {
    this.#endedAt = this.#clock.elapsed();
    this.#hasEnded = true;
    this.#result = { ...neverStarted, reason, finishedAt: this.#clock.now() };
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

  /** Returns the time until its output, its progress or its result must be written. */
  untilWrite(now: Instant): Milliseconds {
    return this.#result ? 0 : Math.min(this.output.untilDue(now), this.progress?.untilDue() ?? Infinity);
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
      reason: this.#withUnstored(outcome.reason),
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

  /** Adds to the reason of its end that files of it are not stored. */
  #withUnstored(reason: string | null): string | null {
    if (this.#unstored === 0) return reason;
    const files = this.#unstored === 1 ? 'a file was' : `${this.#unstored} files were`;
    const unstored = `${files} not stored: ${this.#quota.refusal('artifacts', this.#owner)}`;
    return reason === null ? unstored : `${reason}; ${unstored}`;
  }

  /** Masks what the streams ended with before their executor dropped the rest, as far as that may begin a secret. */
  #cut(): void {
    for (const stream of outputStreams) {
      const data = this.#redacted[stream].cut();
      if (data.length > 0) void this.#add(stream, data);
    }
  }

  /** Redacts output slice by slice, and buffers each slice. Resolves when there is room for more. */
  async #write(stream: OutputStream, bytes: Uint8Array, wake: () => void): Promise<void> {
    if (this.#isCut) return;
    for (const data of this.#redacted[stream].push(bytes)) {
      await yieldToEventLoop();
      if (this.output.isDiscarded || this.#isCut) return;
      if (data.length === 0) continue;
      const room = this.#add(stream, data);
      wake();
      await room;
    }
  }

  /** Buffers output as far as its company may store it. Beyond that it is dropped, and a last line says so. */
  #add(stream: OutputStream, data: Uint8Array): Promise<void> | void {
    if (this.#isCut) return;
    const at = this.#clock.now();
    const fitting = this.#quota.take('output', this.#owner, data.length);
    if (fitting === data.length) {
      this.#last[stream] = data.at(-1) as number;
      return this.output.add({ stream, at, data });
    }
    this.#isCut = true;
    const last = fitting > 0 ? data[fitting - 1] : this.#last[stream];
    const line = encoder.encode(`${last === newline ? '' : '\n'}${this.#quota.outputCut(this.#owner)}\n`);
    return this.output.add({ stream, at, data: concatenate([data.subarray(0, fitting), line]) });
  }

  /** Returns the files that its company may store. */
  #storable(files: readonly ArtifactFile[]): readonly ArtifactFile[] {
    return files.filter(({ content }) => this.#quota.takeWhole('artifacts', this.#owner, content.length));
  }

  async #ended(result: AttemptResult): Promise<void> {
    this.#hasEnded = true;
    this.#endedAt = this.#clock.elapsed();
    await this.#written;
    for (const stream of outputStreams) {
      const data = this.#redacted[stream].end();
      if (data.length > 0) void this.#add(stream, data);
    }
    const files = this.#storable(result.files);
    this.#unstored = result.files.length - files.length;
    const { redactor } = this.prepared;
    const shown: ArtifactFile[] = [];
    for (const file of files) shown.push({ ...file, filename: await redactor.redact(file.filename) });
    this.#result = { ...result, reason: result.reason && (await redactor.redact(result.reason)), files: shown };
  }
}
