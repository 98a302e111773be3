import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export const jobLabel = 'horarium.job';
export const hostLabel = 'horarium.host';
export const ownerLabel = 'horarium.owner';

/** The process that owns containers, as their labels name it: its id, when it started, and which of its executors. */
export interface ContainerOwner {
  readonly host: string;
  readonly name: string;
}

/** Names an executor of this process. */
export function newOwner(): ContainerOwner {
  return { host: hostname(), name: `${process.pid}.${startTime(process.pid)}.${randomUUID()}` };
}

/** Whether the process that owns a container still runs on this machine. */
export function isAlive(owner: string): boolean {
  const [pid = '', start = ''] = owner.split('.');
  return /^\d+$/.test(pid) && startTime(Number(pid)) === start;
}

/** Returns when a process started, in ticks since the machine was booted; empty when there is none. */
function startTime(pid: number): string {
  try {
    // The name of the program, in parentheses, may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
