import { type Attempt, type AttemptHandle, type AttemptReport, type AttemptResult, systemClock } from '@horarium/core';
import { executorContract } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import type { Executor } from '@horarium/core/plugin';
import { AgentRuntime } from '../../../../plugins/fleet-nats/agent/agent-runtime.ts';
import type { AgentReport } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { nativeExecutor } from '../../../support/executors/native-executor.ts';
import { nativePrograms } from '../../../support/executors/native-programs.ts';
import { defineContractTests } from '../../../support/mocha/define-contract-tests.ts';
import { recordedEvents } from './agent-world.ts';
import { MemoryHosts } from './memory-hosts.ts';

interface RemoteRun {
  readonly report: AttemptReport;
  readonly resolve: (result: AttemptResult) => void;
  readonly over: AbortController;
  failure: string | null;
}

/** Runs attempts by an agent with a native executor, and takes its reports as a host does: each when the one before is done. */
class RemoteExecutor implements Executor {
  readonly name = 'native';
  readonly takesFiles = true;
  readonly options: Executor['options'];
  readonly #hosts = new MemoryHosts(nodeClock);
  readonly #native = nativeExecutor();
  readonly #agent: AgentRuntime;
  readonly #runs = new Map<number, RemoteRun>();

  constructor() {
    this.options = this.#native.options;
    const { link } = this.#hosts;
    this.#agent = new AgentRuntime({
      link: {
        ...link,
        report: async (sent, signal) => {
          await link.report(sent, signal);
          await this.#take(sent);
        },
      },
      executors: new Map([['native', this.#native]]),
      clock: nodeClock,
      slots: 64,
      labels: {},
      version: '1.0.0',
      events: recordedEvents([]),
    });
    this.#agent.start();
  }

  start({ files = [], ...attempt }: Attempt, report: AttemptReport): AttemptHandle {
    const { promise: done, resolve } = Promise.withResolvers<AttemptResult>();
    let job: number | null = null;
    let reason: string | null = null;
    const over = new AbortController();
    const stop = async () => {
      for (; job !== null && reason !== null && !over.signal.aborted; await systemClock.sleep(20, over.signal))
        this.#hosts.stop(job, reason);
    };
    void this.#store(files).then(
      (stored) => {
        job = this.#hosts.add({ ...attempt, files: stored });
        this.#runs.set(job, { report, resolve, over, failure: null });
        this.#hosts.tellOfWork();
        void stop();
      },
      (error: Error) => {
        const refused = { exitCode: 126, signal: null, timedOut: false, files: [], finishedAt: Date.now() };
        resolve({ ...refused, reason: error.message });
      },
    );
    return {
      done,
      stop: (why) => {
        if (reason !== null) return;
        reason = why;
        void stop();
      },
    };
  }

  async close(): Promise<void> {
    for (const { over } of this.#runs.values()) over.abort('closed');
    await this.#agent.close();
    await this.#native.close();
    this.#hosts.close();
  }

  /** Stores the input files of an attempt where the agent asks for them. */
  async #store(files: NonNullable<Attempt['files']>) {
    const stored = [];
    for (const { mark, content } of files) {
      const pieces: Uint8Array[] = [];
      for await (const piece of content()) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      this.#hosts.files.set(mark, bytes);
      stored.push({ mark, size: bytes.length });
    }
    return stored;
  }

  async #take({ job, event, age }: AgentReport): Promise<void> {
    const run = this.#runs.get(job);
    if (!run) return;
    if (event.kind === 'started') run.report.started({ pid: event.pid });
    else if (event.kind === 'output')
      await Promise.resolve(run.report.output(event.stream, event.bytes, event.cut)).catch((error: Error) => {
        run.failure ??= error.message;
      });
    else if (event.kind === 'progress') run.report.progress?.(event);
    else if (event.kind === 'ended') {
      run.over.abort('ended');
      const files = this.#hosts.filesOf(job).map((file) => ({ ...file, sha256: '' }));
      run.resolve({ ...event, reason: event.reason ?? run.failure, files, finishedAt: systemClock.now() - age });
    }
  }
}

describe('An agent with native jobs, as an executor of its hosts', () => {
  const make = () => ({ executor: new RemoteExecutor(), programs: nativePrograms });
  defineContractTests(executorContract(make, systemClock, { takesFiles: true, reportsProgress: true, closes: false }));
});
