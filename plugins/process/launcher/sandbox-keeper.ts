import { ProcessTable, signalProcess } from '../sandbox/process-table.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

interface Watch {
  signal: NodeJS.Signals | null;
  until: number;
  readonly resolve: (() => void)[];
}

/** The milliseconds to wait for a process that cannot be killed, because it waits for a disk. */
const killTimeout = 5000;
/** The milliseconds after which the processes that an ended job left behind are killed. */
const leftoverDelay = 1000;

/**
 * Terminates and kills the processes of jobs that end. Where they are found only by reading the whole process table, it
 * is read for all jobs together, and so rarely that it uses little of the processor.
 */
export class SandboxKeeper {
  readonly #watches = new Map<Sandbox, Watch>();
  #timer: NodeJS.Timeout | null = null;
  #due = 0;
  #delay = 0;

  /** Sends SIGTERM to all processes. */
  terminate(sandbox: Sandbox): void {
    sandbox.group?.signal('SIGTERM');
    this.#watch(sandbox, 'SIGTERM', 0);
  }

  /** Resolves when no process lives. */
  emptied(sandbox: Sandbox): Promise<void> {
    if (sandbox.isEmpty()) return Promise.resolve();
    return new Promise((resolve) => this.#watch(sandbox, null, 0).resolve.push(resolve));
  }

  /** Kills all processes, repeatedly until none lives. */
  kill(sandbox: Sandbox): Promise<void> {
    if (sandbox.isEmpty()) return Promise.resolve();
    sandbox.kill();
    return new Promise((resolve) => this.#watch(sandbox, 'SIGKILL', 0).resolve.push(resolve));
  }

  /**
   * Removes the sandbox of an ended job. Where it is not certain that no process is left, the table is read once more
   * a little later, for several jobs together.
   */
  remove(sandbox: Sandbox): void {
    if (sandbox.isEmpty()) sandbox.remove();
    else this.#watch(sandbox, 'SIGKILL', leftoverDelay).resolve.push(() => sandbox.remove());
  }

  #watch(sandbox: Sandbox, signal: NodeJS.Signals | null, delay: number): Watch {
    const watch = this.#watches.get(sandbox) ?? { signal: null, until: 0, resolve: [] };
    if (signal) watch.signal = signal;
    watch.until = performance.now() + delay + killTimeout;
    this.#watches.set(sandbox, watch);
    if (delay === 0) this.#delay = 1;
    this.#schedule(delay);
    return watch;
  }

  #schedule(delay: number): void {
    const due = performance.now() + delay;
    if (this.#timer) {
      if (this.#due <= due) return;
      clearTimeout(this.#timer);
    }
    this.#due = due;
    this.#timer = setTimeout(() => this.#check(), delay);
  }

  #check(): void {
    this.#timer = null;
    const began = performance.now();
    const table = new ProcessTable();
    for (const [sandbox, watch] of [...this.#watches]) {
      const living = this.#signal(sandbox, watch.signal, table);
      if (watch.signal === 'SIGTERM') watch.signal = null;
      const isForgotten = watch.signal === 'SIGKILL' ? began > watch.until : watch.resolve.length === 0;
      if (living && !isForgotten) continue;
      this.#watches.delete(sandbox);
      for (const resolve of watch.resolve) resolve();
    }
    if (this.#watches.size === 0) return;
    this.#delay = Math.min(50, Math.max(this.#delay * 2, 5 * (performance.now() - began)));
    this.#schedule(this.#delay);
  }

  /** Signals the processes of a sandbox. @returns whether some live. */
  #signal(sandbox: Sandbox, signal: NodeJS.Signals | null, table: ProcessTable): boolean {
    const isEmpty = sandbox.isEmpty();
    if (isEmpty) return false;
    if (signal === 'SIGKILL') {
      sandbox.kill();
      if (isEmpty === false) return true;
    }
    const members = sandbox.members(table);
    for (const { pid, group } of members) {
      // The group has its SIGTERM already; a second one may mean something else to a program than the first.
      if (signal === 'SIGKILL' || (signal === 'SIGTERM' && group !== sandbox.group?.id)) signalProcess(pid, signal);
    }
    return members.length > 0;
  }
}
