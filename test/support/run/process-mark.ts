import { execFileSync } from 'node:child_process';
import { type LivingProcess, livingProcesses, readText } from '../program/processes.ts';

/**
 * Chooses a mark for this process, which every process will have that it starts from then on, and those that they start: a
 * soft limit on message queues, which nothing uses. A limit outlives a cleared environment, a new session and another user.
 */
export function chooseMark(): number {
  let mark = process.pid;
  while (markedProcesses(mark).length > 0) mark += 1;
  return mark;
}

/** Gives this process the mark. @throws Error where the machine has no `prlimit` (util-linux). */
export function setMark(mark: number): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--msgqueue=${mark}:`]);
}

/** Lists the living processes with that mark. */
export function markedProcesses(mark: number): LivingProcess[] {
  const line = new RegExp(`^Max msgqueue size +${mark} `, 'm');
  return livingProcesses().filter(({ pid }) => line.test(readText(pid, 'limits')));
}
