/** What the processes of a job may use together; null for what is not limited. */
export interface Limits {
  /** In bytes. */
  readonly memoryMax: number | null;
  /** Processes and threads. */
  readonly pidsMax: number | null;
  /** In percent of one processor: 200 is two. */
  readonly cpuMax: number | null;
}

export const noLimits: Limits = { memoryMax: null, pidsMax: null, cpuMax: null };

/** The limits that options name, those of the plugin or those of a template. */
export function limitsOf(options: {
  readonly memory_max?: number | null | undefined;
  readonly pids_max?: number | null | undefined;
  readonly cpu_max?: number | null | undefined;
}): Limits {
  const { memory_max = null, pids_max = null, cpu_max = null } = options;
  return { memoryMax: memory_max, pidsMax: pids_max, cpuMax: cpu_max };
}

/** The lower of each: what one of them limits, the other cannot raise. */
export function lower(one: Limits, other: Limits): Limits {
  return {
    memoryMax: lowerOf(one.memoryMax, other.memoryMax),
    pidsMax: lowerOf(one.pidsMax, other.pidsMax),
    cpuMax: lowerOf(one.cpuMax, other.cpuMax),
  };
}

function lowerOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Whether anything is limited. */
export function isLimited(limits: Limits): boolean {
  return Object.values(limits).some((limit) => limit !== null);
}

/** The length of a period for `cpu.max`, in microseconds: the kernel's default. */
const cpuPeriod = 100_000;

/** A file of a cgroup by which it is limited, and the controller that the file belongs to. */
interface Setting {
  readonly controller: Controller;
  readonly file: string;
  readonly value: string;
}

/** The controllers of cgroups that limit jobs, or measure them. */
export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** The files of a cgroup that limit it so. */
export function settingsFor({ memoryMax, pidsMax, cpuMax }: Limits): Setting[] {
  const settings: Setting[] = [];
  const add = (controller: Controller, file: string, value: string) => settings.push({ controller, file, value });
  if (memoryMax !== null) {
    add('memory', 'memory.max', String(memoryMax));
    // A job that has lost some of its processes for want of memory would go on in a state that nobody foresaw.
    add('memory', 'memory.oom.group', '1');
  }
  if (pidsMax !== null) add('pids', 'pids.max', String(pidsMax));
  if (cpuMax !== null) add('cpu', 'cpu.max', `${(cpuMax * cpuPeriod) / 100} ${cpuPeriod}`);
  return settings;
}
