import type { Enclosure } from '../sandbox/containment.ts';
import { ProcessTable, signalProcess } from '../sandbox/process-table.ts';

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
export class EnclosureKeeper {
  readonly #watches = new Map<Enclosure, Watch>();
  #timer: NodeJS.Timeout | null = null;
  #due = 0;
  #delay = 0;

  /** Sends SIGTERM to all processes. */
  terminate(enclosure: Enclosure): void {
    enclosure.group?.signal('SIGTERM');
    this.#watch(enclosure, 'SIGTERM', 0);
  }

  /** Resolves when no process lives. */
  emptied(enclosure: Enclosure): Promise<void> {
    if (enclosure.isEmpty()) return Promise.resolve();
    return new Promise((resolve) => this.#watch(enclosure, null, 0).resolve.push(resolve));
  }

  /** Kills all processes, repeatedly until none lives. */
  kill(enclosure: Enclosure): Promise<void> {
    if (enclosure.isEmpty()) return Promise.resolve();
    enclosure.kill();
    return new Promise((resolve) => this.#watch(enclosure, 'SIGKILL', 0).resolve.push(resolve));
  }

  /**
   * Removes the enclosure of an ended job. Where it is not certain that no process is left, the table is read once more
   * a little later, for several jobs together.
   */
  remove(enclosure: Enclosure): void {
    if (enclosure.isEmpty()) enclosure.remove();
    else this.#watch(enclosure, 'SIGKILL', leftoverDelay).resolve.push(() => enclosure.remove());
  }

  #watch(enclosure: Enclosure, signal: NodeJS.Signals | null, delay: number): Watch {
    const watch = this.#watches.get(enclosure) ?? { signal: null, until: 0, resolve: [] };
    if (signal) watch.signal = signal;
    watch.until = performance.now() + delay + killTimeout;
    this.#watches.set(enclosure, watch);
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
    for (const [enclosure, watch] of [...this.#watches]) {
      const living = this.#signal(enclosure, watch.signal, table);
      if (watch.signal === 'SIGTERM') watch.signal = null;
      const isForgotten = watch.signal === 'SIGKILL' ? began > watch.until : watch.resolve.length === 0;
      if (living && !isForgotten) continue;
      this.#watches.delete(enclosure);
      for (const resolve of watch.resolve) resolve();
    }
    if (this.#watches.size === 0) return;
    this.#delay = Math.min(50, Math.max(this.#delay * 2, 5 * (performance.now() - began)));
    this.#schedule(this.#delay);
  }

  /** Signals the processes of an enclosure. @returns whether some live. */
  #signal(enclosure: Enclosure, signal: NodeJS.Signals | null, table: ProcessTable): boolean {
    const isEmpty = enclosure.isEmpty();
    if (isEmpty) return false;
    if (signal === 'SIGKILL') {
      enclosure.kill();
      if (isEmpty === false) return true;
    }
    const members = enclosure.members(table);
    for (const { pid, group } of members) {
      // The group has its SIGTERM already; a second one may mean something else to a program than the first.
      if (signal === 'SIGKILL' || (signal === 'SIGTERM' && group !== enclosure.group?.id)) signalProcess(pid, signal);
    }
    return members.length > 0;
  }
}
