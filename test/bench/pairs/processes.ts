import { setTimeout as pause } from 'node:timers/promises';
import { processesWith } from '../../support/program/processes.ts';

/** How long processes may take to tidy up before they are killed, in milliseconds. */
const grace = 15_000;

/** Waits until the processes that have a folder in their environment have ended, and then kills those that have not. */
export async function endProcessesOf(folder: string): Promise<void> {
  const others = () => processesWith(folder).filter((pid) => pid !== process.pid);
  const deadline = performance.now() + grace;
  while (others().length > 0 && performance.now() < deadline) await pause(50);
  for (const pid of others()) signalIfAlive(pid, 'SIGKILL');
}

/** @param pid of a process; negative for a group of processes. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
