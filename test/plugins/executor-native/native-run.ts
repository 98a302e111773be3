import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { attemptOf } from '@horarium/core/contracts';
import type { Attempt, AttemptHandle, AttemptResult, Executor, OutputStream } from '@horarium/core/plugin';
import { NativeExecutor } from '../../../plugins/executor-native/native-executor.ts';
import type { NativeExecutorConfig } from '../../../plugins/executor-native/settings.ts';
import { livingProcesses } from '../../support/program/processes.ts';

interface Ran extends AttemptResult {
  readonly stdout: string;
  readonly stderr: string;
}

interface Begun {
  readonly started: Promise<number>;
  readonly running: AttemptHandle;
  readonly output: Readonly<Record<OutputStream, string>>;
  readonly done: Promise<Ran>;
}

/** An executor in a folder of its own, for one test file. */
export class NativeRun {
  readonly folder = mkdtempSync(`${tmpdir()}/horarium-test-`);
  readonly executor: Executor;

  constructor(config: NativeExecutorConfig = {}) {
    this.executor = new NativeExecutor({ folder: `${this.folder}/jobs`, ...config });
  }

  async run(attempt: Partial<Attempt>): Promise<Ran> {
    return this.start(attempt).done;
  }

  sh(script: string, more: Partial<Attempt> = {}): Promise<Ran> {
    return this.run({ executable: 'sh', arguments: ['-c', script], ...more });
  }

  /** `output` grows while it runs. */
  start(attempt: Partial<Attempt>): Begun {
    const output = { stdout: '', stderr: '' };
    const { promise: started, resolve } = Promise.withResolvers<number>();
    const running = this.executor.start(attemptOf(attempt), {
      started: ({ pid }) => resolve(pid as number),
      output: (stream, bytes) => {
        output[stream] += Buffer.from(bytes).toString('latin1');
      },
    });
    return { started, running, output, done: running.done.then((outcome) => ({ ...outcome, ...output })) };
  }

  /** Of the launcher, which must be running. */
  get launcher(): number {
    const pid = livingProcesses().find(
      (each) => each.parent === process.pid && each.command.startsWith('job-launcher'),
    )?.pid;
    if (pid === undefined) throw new Error('No launcher is running.');
    return pid;
  }

  async close(): Promise<void> {
    await this.executor.close?.();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A timeout, in milliseconds, before which a shell has set its traps also where the machine is busy. */
export const settled = 1000;

let last = 0;
/** A number of seconds that nobody else sleeps for, so that the processes of one test can be told from others. */
export function uniqueSleep(): string {
  return `${1000 + ++last}.${process.pid}`;
}

export function sleeping(seconds: string): number {
  return livingProcesses().filter(({ command }) => command === `sleep ${seconds} `).length;
}

/** For tests that failed: kills what they were to see killed. */
export function endSleeping(): void {
  for (const { pid, command } of livingProcesses()) {
    if (command.startsWith('sleep ') && command.endsWith(`.${process.pid} `)) process.kill(pid, 'SIGKILL');
  }
}
