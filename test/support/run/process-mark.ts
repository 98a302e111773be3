import { execFileSync } from 'node:child_process';
import { type LivingProcess, livingProcesses, readText } from '../program/processes.ts';

/**
 * Marks every process that this one starts from now on, and those that they start, by a soft limit on message queues, which
 * nothing uses. A limit outlives a cleared environment, a new session and another user.
 * @returns the mark; null where the machine has no `prlimit` (util-linux).
 */
export function markProcesses(): number | null {
  let mark = process.pid;
  while (markedProcesses(mark).length > 0) mark += 1;
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--msgqueue=${mark}:`], { stdio: 'ignore' });
    return mark;
  } catch {
    return null;
  }
}

/** Lists the living processes with that mark. */
export function markedProcesses(mark: number | null): LivingProcess[] {
  const line = new RegExp(`^Max msgqueue size +${mark} `, 'm');
  return livingProcesses().filter(({ pid }) => line.test(readText(pid, 'limits')));
}
