import type { SandboxOptions } from '../sandbox-options.ts';

/** The controllers of cgroups that limit jobs, or measure them. */
export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** A file of a cgroup that sets a limit, and the controller that the file belongs to. */
interface Limit {
  readonly controller: Controller;
  readonly file: string;
  readonly value: string;
}

/** The length of a period for `cpu.max`, in microseconds: the kernel's default. */
const cpuPeriod = 100_000;

/** The files of a cgroup that limit it so. */
export function limitsFor({
  memoryMax,
  pidsMax,
  cpuMax,
}: Pick<SandboxOptions, 'memoryMax' | 'pidsMax' | 'cpuMax'>): Limit[] {
  const limits: Limit[] = [];
  const add = (controller: Controller, file: string, value: string) => limits.push({ controller, file, value });
  if (memoryMax !== null) {
    add('memory', 'memory.max', String(memoryMax));
    // A job that has lost some of its processes for want of memory would go on in an unforeseen state.
    add('memory', 'memory.oom.group', '1');
  }
  if (pidsMax !== null) add('pids', 'pids.max', String(pidsMax));
  if (cpuMax !== null) add('cpu', 'cpu.max', `${(cpuMax * cpuPeriod) / 100} ${cpuPeriod}`);
  return limits;
}
