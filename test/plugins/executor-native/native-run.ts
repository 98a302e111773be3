import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { attemptOf } from '@horarium/core/contracts';
import type { Attempt, AttemptHandle, AttemptResult, OutputStream } from '@horarium/core/plugin';
import type { NativeExecutor } from '../../../plugins/executor-native/native-executor.ts';
import type { NativeOptions } from '../../../plugins/executor-native/settings.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { livingProcesses } from '../../support/program/processes.ts';

interface RunResult extends AttemptResult {
  readonly stdout: string;
  readonly stderr: string;
}

interface StartedRun {
  readonly started: Promise<number>;
  readonly running: AttemptHandle;
  readonly output: Readonly<Record<OutputStream, string>>;
  readonly done: Promise<RunResult>;
}

/** A native executor in a folder of its own. */
export class NativeRun {
  readonly folder = mkdtempSync(`${tmpdir()}/horarium-test-`);
  readonly executor: NativeExecutor;
  /** The launchers of other executors of this process. */
  readonly #others = launchers();

  constructor(options: Partial<NativeOptions> = {}) {
    this.executor = nativeExecutor({ folder: `${this.folder}/jobs`, ...options });
  }

  async run(attempt: Partial<Attempt>): Promise<RunResult> {
    return this.start(attempt).done;
  }

  /** Runs a shell script. */
  sh(script: string, more: Partial<Attempt> = {}): Promise<RunResult> {
    return this.run({ executable: 'sh', arguments: ['-c', script], ...more });
  }

  /**
   * Runs a shell script until its timeout, which it outlives. It has written `ready` by then: on a busy machine the timeout
   * may come first, and then the script runs again with a longer one. @returns the result without that line.
   */
  async shUntilTimeout(script: string, more: Partial<Attempt> = {}): Promise<RunResult> {
    for (let timeout = 500; ; timeout *= 2) {
      const result = await this.sh(script, { ...more, timeout });
      const isReady = result.stdout.startsWith('ready\n');
      if (isReady || !result.timedOut) return { ...result, stdout: result.stdout.replace('ready\n', '') };
    }
  }

  /** Starts an attempt. Its `output` grows while it runs. */
  start(attempt: Partial<Attempt>): StartedRun {
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

  /** The process id of the launcher. @throws Error where none runs. */
  get launcher(): number {
    const pid = launchers().find((each) => !this.#others.includes(each));
    if (pid === undefined) throw new Error('No launcher is running.');
    return pid;
  }

  async close(): Promise<void> {
    await this.executor.close?.();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function launchers(): number[] {
  const own = livingProcesses().filter(({ parent }) => parent === process.pid);
  return own.filter(({ command }) => command.startsWith('job-launcher')).map(({ pid }) => pid);
}

let last = 0;
/** A number of seconds that only one test sleeps for, so that its processes can be recognised. */
export function uniqueSleep(): string {
  return `${1000 + ++last}.${process.pid}`;
}

/** The number of processes that sleep for that many seconds. */
export function sleeping(seconds: string): number {
  return livingProcesses().filter(({ command }) => command === `sleep ${seconds} `).length;
}

/**
 * A script that starts a daemon, which sleeps: it leaves the process group and the session, loses its parent, and keeps
 * no output open. The script goes on when the daemon runs.
 */
export function daemonise(seconds: string, prefix = ''): string {
  const daemon = `setsid sh -c "setsid sleep ${seconds} < /dev/null > /dev/null 2>&1 &"`;
  return `${prefix} ${daemon}; until pgrep -f '^sleep ${seconds}' > /dev/null; do sleep 0.01; done;`;
}

/** Kills the processes that a failed test leaves sleeping. */
export function endSleeping(): void {
  for (const { pid, command } of livingProcesses()) {
    if (command.startsWith('sleep ') && command.endsWith(`.${process.pid} `)) process.kill(pid, 'SIGKILL');
  }
}
