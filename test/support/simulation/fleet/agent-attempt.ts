import type { Executor, Instant } from '@horarium/core';
import type { AgentEvent, ClaimedAttempt } from '@horarium/core/plugin';
import type { AttemptHandle, AttemptResult } from '#core/executor/executor';
import type { AttemptRecord } from './fleet-record.ts';
import type { AgentBug } from './planted-agent-bugs.ts';
import type { ReportQueue } from './report-queue.ts';

export interface AgentAttemptOptions {
  readonly assigned: ClaimedAttempt;
  readonly executor: Executor;
  readonly reports: ReportQueue;
  readonly record: AttemptRecord;
  readonly bug: AgentBug | null;
  /** The content of the file that it leaves if it exits; empty = it leaves no file. */
  readonly file: string;
  /** Returns the real time. */
  now(): Instant;
  /** Resolves when the process goes on, which may die between two steps. */
  nextStep(): Promise<void>;
  /** Returns why it must not be started; null = it may. */
  refusal(): string | null;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const nothing = { exitCode: null, signal: null, timedOut: false };

/** An attempt on an agent, from its assignment until the broker has its end. */
export class AgentAttempt {
  readonly #options: AgentAttemptOptions;
  #handle: AttemptHandle | null = null;
  #stopReason: string | null = null;

  constructor(options: AgentAttemptOptions) {
    this.#options = options;
  }

  /** Runs it, and resolves once all of its reports are acknowledged. */
  async run(): Promise<void> {
    const { reports, record, bug, file, now, nextStep, refusal } = this.#options;
    // Reported first: what is not reported by the end of its lease was never started, so that it can be taken back.
    const announced = reports.add({ kind: 'started', pid: null });
    if (bug !== 'starts before that is reported') await announced;
    await nextStep();
    const reason = this.#stopReason ?? refusal();
    const result = reason === null ? await this.#run() : { ...nothing, reason };
    await nextStep();
    if (result.exitCode !== null && file.length > 0) {
      record.file = file;
      for (const event of eventsOf(file)) void reports.add(event);
    }
    record.end = { exitCode: result.exitCode, signal: result.signal, at: now() };
    void reports.add(endOf(result));
    await reports.empty();
  }

  stop(reason: string): void {
    this.#stopReason = reason;
    this.#handle?.stop(reason);
  }

  async #run(): Promise<AttemptResult> {
    const { assigned, executor, reports, record, nextStep } = this.#options;
    const handle = executor.start(
      { ...assigned.attempt, files: [] },
      {
        started: ({ pid }) => void reports.add({ kind: 'started', pid }),
        output: (stream, bytes) => {
          record.printed[stream] += decoder.decode(bytes);
          return reports.add({ kind: 'output', stream, bytes, cut: false });
        },
      },
    );
    this.#handle = handle;
    await nextStep();
    return handle.done;
  }
}

/** Only what the machine has killed has a reason, besides what took too long. */
function endOf({ exitCode, signal, timedOut, reason }: Omit<AttemptResult, 'finishedAt' | 'files'>): AgentEvent {
  return { kind: 'ended', exitCode, signal, timedOut, lost: reason !== null && !timedOut, reason, peakMemory: null };
}

function eventsOf(file: string): AgentEvent[] {
  const head = {
    filename: 'result.txt',
    contentType: 'text/plain',
    size: file.length,
    sha256: '0'.repeat(64),
  };
  return [
    { kind: 'file', ...head },
    { kind: 'piece', bytes: encoder.encode(file) },
  ];
}
