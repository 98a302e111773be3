import { systemClock } from '@horarium/core';
import type { ArtifactFile, Attempt, AttemptReport, AttemptResult, Instant } from '@horarium/core/plugin';
import type { AgentReport, AssignedAttempt } from '../../../plugins/fleet-nats/wire/messages/messages.ts';

/** An attempt of a `RemoteExecutor`: what its agent is assigned, and what it has reported. */
export class RemoteAttempt {
  readonly job: number;
  readonly done: Promise<AttemptResult>;
  /** The claim that gave it to the agent; null = none has. */
  claim: string | null = null;
  /** Why it is to stop; null = it is not. */
  stopReason: string | null = null;
  hasEnded = false;
  readonly #attempt: Attempt;
  readonly #report: AttemptReport;
  readonly #contents = new Map<string, Promise<Buffer>>();
  readonly #resolve: (result: AttemptResult) => void;
  #reported = 0;
  #failure: string | null = null;
  readonly #files: (Omit<ArtifactFile, 'content'> & { readonly pieces: Uint8Array[] })[] = [];

  constructor(job: number, attempt: Attempt, report: AttemptReport) {
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.job = job;
    this.done = promise;
    this.#resolve = resolve;
    this.#attempt = attempt;
    this.#report = report;
  }

  /** Lets another claim have it, if the agent gave the one up that has it. */
  release(abandoned: readonly string[]): void {
    if (this.claim !== null && abandoned.includes(this.claim) && this.#reported === 0) this.claim = null;
  }

  /** Describes it for the agent. A file that cannot be read is refused when the agent asks for it. */
  async assigned(claim: string, executor: string): Promise<AssignedAttempt> {
    const { jobId: _jobId, files = [], ...attempt } = this.#attempt;
    const sizeOf = (mark: string) =>
      this.contentOf(mark)
        .then(({ length }) => length)
        .catch(() => 0);
    const described = await Promise.all(files.map(async ({ mark }) => ({ mark, size: await sizeOf(mark) })));
    return { job: this.job, claim, executor, attempt: { ...attempt, files: described } };
  }

  /** Reads a file that it is given, once. @throws Error with the reason why it cannot be read. */
  contentOf(mark: string): Promise<Buffer> {
    const content = this.#contents.get(mark) ?? this.#read(mark);
    this.#contents.set(mark, content);
    return content;
  }

  async #read(mark: string): Promise<Buffer> {
    const file = this.#attempt.files?.find((each) => each.mark === mark);
    if (!file) throw new Error(`Job ${this.job} has no file ${mark}.`);
    const pieces: Uint8Array[] = [];
    for await (const piece of file.content()) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Takes a report; one that was taken before changes nothing. @returns false where those before it have not come yet. */
  async take({ seq, event }: AgentReport, at: Instant): Promise<boolean> {
    if (seq <= this.#reported) return true;
    if (seq > this.#reported + 1) return false;
    this.#reported = seq;
    if (event.kind === 'started') this.#report.started({ pid: event.pid });
    else if (event.kind === 'output') await this.#output(event);
    else if (event.kind === 'progress') this.#report.progress?.(event);
    else if (event.kind === 'file') this.#files.push({ ...event, pieces: [] });
    else if (event.kind === 'piece') this.#files.at(-1)?.pieces.push(event.bytes);
    else if (event.kind === 'ended') {
      const { exitCode, signal, timedOut, lost, peakMemory, reason } = event;
      this.end({ exitCode, signal, timedOut, lost, peakMemory, reason: reason ?? this.#failure }, at);
    }
    return true;
  }

  /** Ends it; only the first end counts. */
  end(result: Partial<AttemptResult>, finishedAt: Instant = systemClock.now()): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const files = this.#files.map(({ pieces, ...file }) => ({ ...file, content: Buffer.concat(pieces) }));
    this.#resolve({ exitCode: null, signal: null, timedOut: false, reason: null, ...result, files, finishedAt });
  }

  /** Hands output over. What could not be stored is lost, and the end says why, as a host does. */
  async #output({ stream, bytes, cut }: Extract<AgentReport['event'], { readonly kind: 'output' }>): Promise<void> {
    if (this.#failure !== null) return;
    try {
      await this.#report.output(stream, bytes, cut);
    } catch (error) {
      this.#failure = (error as Error).message;
    }
  }
}
