import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in these, whatever the machine. */
const ticksPerSecond = 100;

/** What of the processor is watched: processes by name, each with what it may have started. */
export type Watched = Readonly<Record<string, () => readonly number[]>>;

interface Reading {
  readonly spent: Readonly<Record<string, number>>;
  readonly busy: number;
  readonly all: number;
}

/** Adds up what processes used of the processor while some works were done: unlike time, others cannot lengthen it. */
export class ProcessorTime {
  readonly #watched: Watched;
  readonly #spent: Record<string, number> = {};
  #busy = 0;
  #all = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#read();
    const result = await work();
    const after = this.#read();
    for (const [name, spent] of Object.entries(after.spent))
      this.#spent[name] = (this.#spent[name] ?? 0) + spent - (before.spent[name] ?? 0);
    this.#busy += after.busy - before.busy;
    this.#all += after.all - before.all;
    return result;
  }

  /** User and system time by name, in milliseconds. */
  get spent(): Readonly<Record<string, number>> {
    return this.#spent;
  }

  /** How much of all cores was in use meanwhile, by anybody: 1 = no core was ever idle. */
  get busy(): number {
    return this.#all === 0 ? 0 : this.#busy / this.#all;
  }

  #read(): Reading {
    const spent = Object.entries(this.#watched).map(([name, pids]) => [name, sum(pids())] as const);
    const [user, nice, system, idle, waiting, ...rest] = machineTicks();
    const busy = user + nice + system + rest.reduce((all, each) => all + each, 0);
    return { spent: Object.fromEntries(spent), busy, all: busy + idle + waiting };
  }
}

/** The processes that a process started and that still live. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Of the processes themselves and of their children that have ended, in milliseconds. */
function sum(pids: readonly number[]): number {
  return pids.reduce((all, pid) => all + ticksOf(pid), 0) * (1000 / ticksPerSecond);
}

function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((all, ticks) => all + Number(ticks), 0);
}

type Ticks = [user: number, nice: number, system: number, idle: number, waiting: number, ...rest: number[]];

function machineTicks(): Ticks {
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n') as [string];
  // Guests are counted as user time already.
  return line.split(/\s+/).slice(1, 9).map(Number) as Ticks;
}
