import { uptime } from 'node:os';
import type { ArtifactFile, AttemptHandle, AttemptReport, AttemptResult, OutputStream } from '@horarium/core/plugin';
import type { Ended, Order } from './messages.ts';

/** What collects the files to keep, and says in a sentence each what it had to leave out. */
export type Collect = (workingFolder: string) => Promise<{ files: readonly ArtifactFile[]; notes: readonly string[] }>;

/** The server's view of one attempt that the launcher runs. */
export class NativeAttempt implements AttemptHandle {
  readonly done: Promise<AttemptResult>;
  readonly #report: AttemptReport;
  readonly #tell: (order: Order) => void;
  readonly #collect: Collect | null;
  readonly #settle: (outcome: AttemptResult) => void;
  readonly #output: { stream: OutputStream; bytes: Uint8Array }[] = [];
  /** When it was asked for, in seconds since the machine started. */
  readonly askedAt = uptime();
  #pid: number | null = null;
  #folder: string | null = null;
  #ended: Ended | null = null;
  #lost = false;
  #handingOver = false;
  #owed = 0;
  #failure: string | null = null;

  constructor(report: AttemptReport, collect: Collect | null, tell: (order: Order) => void) {
    this.#report = report;
    this.#collect = collect;
    this.#tell = tell;
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.done = promise;
    this.#settle = resolve;
  }

  /** Of its first process, its group and its session; null before it started. */
  get pid(): number | null {
    return this.#pid;
  }

  /** Nothing of it runs any more, though its output may still be on its way. */
  get over(): boolean {
    return this.#ended !== null;
  }

  stop(reason: string): void {
    if (!this.#ended) this.#tell({ order: 'stop', reason });
  }

  started(pid: number, folder: string): void {
    this.#pid = pid;
    this.#folder = folder;
    void this.#guard(() => this.#report.started({ pid }));
  }

  output(stream: OutputStream, bytes: Uint8Array): void {
    this.#output.push({ stream, bytes });
    if (!this.#handingOver) void this.#handOver();
  }

  ended(ended: Ended): void {
    if (this.#ended) return;
    this.#ended = ended;
    if (!this.#handingOver) void this.#handOver();
  }

  /** It was never started. */
  refused(reason: string): void {
    this.#end({ exitCode: 126, signal: null, lost: false, reason });
  }

  /** The launcher died, and what it knew with it; the attempt's processes were killed. */
  lost(reason: string): void {
    this.#lost = true;
    const signal = this.#pid === null ? null : 'SIGKILL';
    this.#end({ exitCode: null, signal, lost: true, reason });
  }

  #end(how: Pick<Ended, 'exitCode' | 'signal' | 'lost' | 'reason'>): void {
    this.ended({ news: 'ended', timedOut: false, finishedAt: Date.now(), ...how });
  }

  /** One piece after the other; the launcher is told how much room there is again. */
  async #handOver(): Promise<void> {
    this.#handingOver = true;
    for (let piece = this.#output.shift(); piece; piece = this.#output.shift()) {
      const { stream, bytes } = piece;
      await this.#guard(() => this.#report.output(stream, bytes));
      this.#credit(bytes.length);
    }
    this.#handingOver = false;
    if (this.#ended) await this.#finish(this.#ended);
  }

  async #finish(ended: Ended): Promise<void> {
    const { files, notes } = await this.#keep();
    for (const note of notes) {
      const line = Buffer.from(`[horarium: ${note}]\n`);
      await this.#guard(() => this.#report.output('stderr', line));
    }
    const { exitCode, signal, timedOut, lost, finishedAt } = ended;
    this.#settle({ exitCode, signal, timedOut, lost, reason: ended.reason ?? this.#failure, finishedAt, files });
  }

  async #keep(): Promise<Awaited<ReturnType<Collect>>> {
    if (!this.#collect) return { files: [], notes: [] };
    // A program that never started made nothing.
    const nothing = { files: [], notes: [] };
    const kept = this.#folder === null || this.#lost ? nothing : await this.#collect(this.#folder);
    this.#tell({ order: 'release' });
    return kept;
  }

  /** Small amounts are told together: most jobs end before one is due. */
  #credit(bytes: number): void {
    this.#owed += bytes;
    if (this.#ended || this.#owed < creditStep) return;
    this.#tell({ order: 'credit', bytes: this.#owed });
    this.#owed = 0;
  }

  /** Whoever listens may fail (a store that is full): the job runs on, and its end says so. */
  async #guard(report: () => Promise<void> | void): Promise<void> {
    try {
      await report();
    } catch (error) {
      this.#failure ??= `What it wrote could not be kept: ${error instanceof Error ? error.message : error}`;
    }
  }
}

const creditStep = 32 * 1024;
