import { membersOf, signalGroup, signalProcess } from '../sessions.ts';

interface Watch {
  readonly leader: number;
  signal: NodeJS.Signals | null;
  until: number;
  readonly resolve: (() => void)[];
}

/** The milliseconds to wait for a process that cannot be killed, because it waits for a disk. */
const killTimeout = 5000;
/** The milliseconds after which the processes that an ended job left behind are killed. */
const leftoverDelay = 1000;

/**
 * Terminates and kills the sessions of jobs that end. The members of a session are found only by reading the whole
 * process table, so it is read for all sessions together, and so rarely that it uses little of the processor.
 */
export class SessionKeeper {
  readonly #watches = new Map<number, Watch>();
  #timer: NodeJS.Timeout | null = null;
  #due = 0;
  #delay = 0;

  /** Sends SIGTERM to all processes of the session. */
  terminate(leader: number): void {
    signalGroup(leader, 'SIGTERM');
    this.#watch(leader, 'SIGTERM', 0);
  }

  /** Resolves when no process of the session lives. */
  emptied(leader: number): Promise<void> {
    return new Promise((resolve) => this.#watch(leader, null, 0).resolve.push(resolve));
  }

  /** Kills all processes of the session, repeatedly until none of them lives. */
  kill(leader: number): Promise<void> {
    signalGroup(leader, 'SIGKILL');
    return new Promise((resolve) => this.#watch(leader, 'SIGKILL', 0).resolve.push(resolve));
  }

  /**
   * Kills what an ended job, whose process group is gone, has left in other groups of its session. This is done a little
   * later, for several jobs together.
   */
  ended(leader: number): void {
    this.#watch(leader, 'SIGKILL', leftoverDelay);
  }

  /** Stops watching a session whose id a new process has now. */
  forget(leader: number): void {
    this.#watches.delete(leader);
  }

  get leaders(): number[] {
    return [...this.#watches.keys()];
  }

  #watch(leader: number, signal: NodeJS.Signals | null, delay: number): Watch {
    const watch = this.#watches.get(leader) ?? { leader, signal: null, until: 0, resolve: [] };
    if (signal) watch.signal = signal;
    watch.until = performance.now() + delay + killTimeout;
    this.#watches.set(leader, watch);
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
    const living = new Set<number>();
    for (const { pid, group, session } of membersOf(this.#watches)) {
      living.add(session);
      const signal = this.#watches.get(session)?.signal;
      // The group has its SIGTERM already; a second one may mean something else to a program than the first.
      if (signal === 'SIGKILL' || (signal === 'SIGTERM' && group !== session)) signalProcess(pid, signal);
    }
    for (const watch of [...this.#watches.values()]) {
      if (watch.signal === 'SIGTERM') watch.signal = null;
      const forgotten = watch.signal === 'SIGKILL' ? began > watch.until : watch.resolve.length === 0;
      if (living.has(watch.leader) && !forgotten) continue;
      this.#watches.delete(watch.leader);
      for (const resolve of watch.resolve) resolve();
    }
    if (this.#watches.size === 0) return;
    this.#delay = Math.min(50, Math.max(this.#delay * 2, 5 * (performance.now() - began)));
    this.#schedule(this.#delay);
  }
}
