import { membersOf, signalGroup, signalProcess } from '../sessions.ts';

interface Watch {
  readonly leader: number;
  signal: NodeJS.Signals | null;
  until: number;
  readonly resolve: (() => void)[];
}

/** Something that cannot be killed (a process waiting for a disk) is not waited for any longer. */
const patience = 5000;
const afterwards = 1000;

/**
 * Watches over the sessions of jobs that end. Finding out who is in a session means reading the whole process table,
 * so it is read for all of them together, and not more often than it takes little of the processor.
 */
export class SessionKeeper {
  readonly #watches = new Map<number, Watch>();
  #timer: NodeJS.Timeout | null = null;
  #due = 0;
  #delay = 0;

  /** Asks everything in the session to end. */
  terminate(leader: number): void {
    signalGroup(leader, 'SIGTERM');
    this.#watch(leader, 'SIGTERM', 0);
  }

  /** Resolves when nothing of the session lives. */
  emptied(leader: number): Promise<void> {
    return new Promise((resolve) => this.#watch(leader, null, 0).resolve.push(resolve));
  }

  /** Kills everything in the session, again and again until nothing of it lives. */
  kill(leader: number): Promise<void> {
    signalGroup(leader, 'SIGKILL');
    return new Promise((resolve) => this.#watch(leader, 'SIGKILL', 0).resolve.push(resolve));
  }

  /**
   * The job ended and its process group is gone. What it left in other groups of its session is looked for a little
   * later, together with that of others.
   */
  ended(leader: number): void {
    this.#watch(leader, 'SIGKILL', afterwards);
  }

  /** The number now means a new process. */
  forget(leader: number): void {
    this.#watches.delete(leader);
  }

  get leaders(): number[] {
    return [...this.#watches.keys()];
  }

  #watch(leader: number, signal: NodeJS.Signals | null, delay: number): Watch {
    const watch = this.#watches.get(leader) ?? { leader, signal: null, until: 0, resolve: [] };
    if (signal) watch.signal = signal;
    watch.until = performance.now() + delay + patience;
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
    this.#timer = setTimeout(() => this.#look(), delay);
  }

  #look(): void {
    this.#timer = null;
    const began = performance.now();
    const living = new Set<number>();
    for (const { pid, group, session } of membersOf(this.#watches)) {
      living.add(session);
      const signal = this.#watches.get(session)?.signal;
      // The group was signalled at once; a second SIGTERM may mean something else to a program than the first.
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
