import { readdirSync, readFileSync } from 'node:fs';

/** The clock ticks a second (USER_HZ) in which Linux reports processor time to programs. */
const ticksPerSecond = 100;

/** The ids of the processes to measure, by name; a function, because processes start and end meanwhile. */
export type WatchedProcesses = Readonly<Record<string, () => readonly number[]>>;

interface Reading {
  /** Milliseconds used by each of the watched processes. */
  readonly used: Readonly<Record<string, number>>;
  /** Ticks of all cores of the machine. */
  readonly busyTicks: number;
  readonly allTicks: number;
}

/**
 * Sums the processor time that processes use during measured work. Unlike elapsed time, processor time does not grow
 * when other programs compete for the cores.
 */
export class ProcessorTime {
  readonly #watched: WatchedProcesses;
  readonly #milliseconds: Record<string, number> = {};
  #busyTicks = 0;
  #allTicks = 0;

  constructor(watched: WatchedProcesses) {
    this.#watched = watched;
  }

  /** Adds the processor time that is used until the work ends. @returns what the work returns. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#read();
    const result = await work();
    const after = this.#read();
    for (const [name, used] of Object.entries(after.used))
      this.#milliseconds[name] = (this.#milliseconds[name] ?? 0) + used - (before.used[name] ?? 0);
    this.#busyTicks += after.busyTicks - before.busyTicks;
    this.#allTicks += after.allTicks - before.allTicks;
    return result;
  }

  /** User and system time of each of the watched processes, in milliseconds. */
  get milliseconds(): Readonly<Record<string, number>> {
    return this.#milliseconds;
  }

  /** The share of the machine's cores that was in use during the work, by any program: 1 = no core was ever idle. */
  get utilization(): number {
    return this.#allTicks === 0 ? 0 : this.#busyTicks / this.#allTicks;
  }

  #read(): Reading {
    const used = Object.entries(this.#watched).map(([name, pids]) => {
      const times = pids().map((pid) => processorTimeOf(pid, { withChildren: true }));
      return [name, times.reduce((sum, time) => sum + time, 0)] as const;
    });
    const [user, nice, system, idle, ioWait, ...interrupts] = machineTicks();
    const busyTicks = user + nice + system + interrupts.reduce((sum, ticks) => sum + ticks, 0);
    return { used: Object.fromEntries(used), busyTicks, allTicks: busyTicks + idle + ioWait };
  }
}

/**
 * The user and system time that a process has used, in milliseconds, exact to one tick.
 * @param withChildren adds the time of child processes that have ended.
 */
export function processorTimeOf(pid: number, { withChildren = false } = {}): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain anything; the numbers follow it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // proc(5): utime, stime, cutime, cstime.
  const ticks = fields.slice(11, withChildren ? 15 : 13).reduce((sum, each) => sum + Number(each), 0);
  return ticks * (1000 / ticksPerSecond);
}

/** The ids of the running child processes of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

type MachineTicks = [user: number, nice: number, system: number, idle: number, ioWait: number, ...interrupts: number[]];

function machineTicks(): MachineTicks {
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n') as [string];
  // The last two columns, guest and guest_nice, are left out: user and nice include them.
  return line.split(/\s+/).slice(1, 9).map(Number) as MachineTicks;
}
