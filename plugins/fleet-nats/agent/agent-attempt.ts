import {
  type AttemptHandle,
  type AttemptProgress,
  type AttemptReport,
  type AttemptResult,
  type Executor,
  type GivenFile,
  type Milliseconds,
  readValues,
  shownProgress,
} from '@horarium/core/plugin';
import { type AssignedAttempt, maxPiece } from '../wire/messages/messages.ts';
import type { AgentEvents } from './agent-events.ts';
import { readAssignedFile } from './assigned-files.ts';
import type { HostLink } from './host-link.ts';
import { ReportQueue, type ReportQueueOptions } from './report-queue.ts';

/** Why an attempt is asked to stop: by a host, or by the agent itself, which is no fault of the attempt. */
interface AgentStop {
  readonly reason: string;
  readonly byAgent: boolean;
}

export interface AgentAttemptOptions extends ReportQueueOptions {
  /** Whether the lease of the agent holds at this moment: a machine that was suspended may not have noticed its end yet. */
  readonly mayStart: () => boolean;
  readonly link: Pick<HostLink, 'ask'>;
  readonly events: Pick<AgentEvents, 'jobStarted' | 'jobEnded'>;
}

/** How long after the one before a progress is reported. */
const progressInterval: Milliseconds = 1000;

type AgentResult = Omit<AttemptResult, 'finishedAt'>;

const neverStarted = { exitCode: null, signal: null, timedOut: false, files: [] };

/** An attempt on an agent, from its start until its end is stored for the hosts. */
export class AgentAttempt {
  readonly assigned: AssignedAttempt;
  readonly #options: AgentAttemptOptions;
  readonly #reports: ReportQueue;
  readonly #stopping = new AbortController();
  #handle: AttemptHandle | null = null;
  #stop: AgentStop | null = null;
  #hasEnded = false;
  /** What is to be reported next. */
  #progress: AttemptProgress | null = null;
  #progressAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #isAbandoned = false;

  constructor(assigned: AssignedAttempt, options: AgentAttemptOptions) {
    this.assigned = assigned;
    this.#options = options;
    this.#reports = new ReportQueue(options);
  }

  /** Whether it was abandoned and still runs. */
  get isDying(): boolean {
    return this.#isAbandoned && !this.#hasEnded;
  }

  /** Whether it was asked to stop. */
  get isStopping(): boolean {
    return this.#stop !== null;
  }

  /** Whether its executor has ended it: what is left is to report it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Starts it, or ends it with the reason why it cannot be started.
   * @param executor undefined where the agent has none of that name.
   * @returns a promise that resolves when it has ended.
   */
  async start(executor: Executor | undefined): Promise<void> {
    const refusal = refusalOf(this.assigned, executor);
    const result =
      refusal === null ? await this.#announceAndRun(executor as Executor) : { ...neverStarted, reason: refusal };
    this.#ended(result);
  }

  /**
   * Reports that it is about to start and waits until that is stored, because the hosts take an attempt back of which nothing
   * was reported by the end of its lease.
   */
  async #announceAndRun(executor: Executor): Promise<AgentResult> {
    this.#reports.add({ kind: 'starting' });
    const stopping = this.#stopping.signal;
    const stopped = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#reports.published, stopped]);
    if (stopping.aborted || this.#options.closing.aborted || !this.#options.mayStart()) {
      const reason = this.#stop?.reason ?? 'it was never started';
      return { ...neverStarted, lost: this.#stop === null, reason };
    }
    return this.#run(executor);
  }

  /** Resolves when all that was reported of it is stored for the hosts, or nothing is published any more. */
  get reported(): Promise<void> {
    return this.#reports.published;
  }

  /** Asks it to stop; only the first reason counts. */
  stop(reason: string, { byAgent = false }: { readonly byAgent?: boolean } = {}): void {
    if (this.#stop || this.#hasEnded) return;
    this.#stop = { reason, byAgent };
    this.#stopping.abort(new Error(reason));
    this.#handle?.stop(reason);
  }

  /** Stops it and drops further output, because an executor that waits for room would never report the end. */
  abandon(reason: string): void {
    this.stop(reason, { byAgent: true });
    this.#isAbandoned = true;
    this.#reports.discardOutput();
  }

  async #run(executor: Executor): Promise<AgentResult> {
    const report: AttemptReport = {
      started: ({ pid }) => this.#reports.add({ kind: 'started', pid }),
      output: (stream, bytes, cut = false) => this.#reports.addOutput(stream, bytes, cut),
      progress: (progress) => this.#addProgress(shownProgress(progress)),
    };
    const { job, attempt } = this.assigned;
    const { HORARIUM_RUNTEMPLATE_ID: template, HORARIUM_COMPANY_CODE: company } = attempt.environment;
    this.#options.events.jobStarted({ job, executor: executor.name, template, company });
    try {
      this.#handle = executor.start({ ...attempt, jobId: job, files: this.#files() }, report);
      return await this.#handle.done;
    } catch (error) {
      // An executor that throws, or whose result rejects, has a mistake in its code.
      const message = error instanceof Error ? error.message : String(error);
      return { ...neverStarted, reason: `the executor ${executor.name} failed: ${message}` };
    }
  }

  /** Reports the latest progress, but not more than once in an interval: an executor may report it at any rate. */
  #addProgress(progress: AttemptProgress): void {
    const isFirst = this.#progress === null;
    this.#progress = progress;
    if (!isFirst || this.#hasEnded) return;
    const { clock, closing } = this.#options;
    const wait = this.#progressAt + progressInterval - clock.uptime();
    void (wait > 0 ? clock.sleep(wait, closing) : Promise.resolve()).then(() => this.#flushProgress());
  }

  #flushProgress(): void {
    const progress = this.#progress;
    if (progress === null || this.#hasEnded) return;
    this.#progress = null;
    this.#progressAt = this.#options.clock.uptime();
    this.#reports.add({ kind: 'progress', ...progress });
  }

  #files(): GivenFile[] {
    const { link, clock } = this.#options;
    const { job, claim, attempt } = this.assigned;
    const stopping = this.#stopping.signal;
    return attempt.files.map((file) => ({
      mark: file.mark,
      content: () => readAssignedFile(file, { link, clock, job, claim, stopping }),
    }));
  }

  #ended({ files, exitCode, signal, timedOut, lost = false, reason, peakMemory = null }: AgentResult): void {
    this.#flushProgress();
    for (const { filename, contentType, sha256, content } of files) {
      this.#reports.add({ kind: 'file', filename, contentType, size: content.length, sha256 });
      for (let offset = 0; offset < content.length; offset += maxPiece)
        this.#reports.add({ kind: 'piece', bytes: content.subarray(offset, offset + maxPiece) });
    }
    const stop = this.#stop;
    const why = stop?.byAgent ? { lost: true, reason: stop.reason } : { lost, reason };
    const end = { exitCode, signal, timedOut, peakMemory, stopReason: stop?.reason ?? null, ...why };
    this.#reports.add({ kind: 'ended', ...end });
    this.#hasEnded = true;
    const { job } = this.assigned;
    this.#options.events.jobEnded({ job, exitCode, signal, timedOut, lost: why.lost, stopReason: end.stopReason });
  }
}

/** Returns why an executor cannot run an attempt, as far as the agent can tell before it starts; null = it can. */
function refusalOf({ executor: name, attempt }: AssignedAttempt, executor: Executor | undefined): string | null {
  if (!executor) return `this agent has no executor ${name}`;
  if (attempt.files.length > 0 && !executor.takesFiles) return `the executor ${name} hands over no files`;
  try {
    // An option that this version of the executor does not know may be one that restricts the job.
    readValues(executor.options, { kind: 'json', value: attempt.options }, `The choice of options of ${name}`);
    return null;
  } catch (error) {
    return `the executor ${name} of this agent does not take these options: ${(error as Error).message}`;
  }
}
