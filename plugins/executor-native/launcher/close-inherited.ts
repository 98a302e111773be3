import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as /proc shows it: such files are closed by themselves when a program is started. */
const closedOnStart = 0o2000000;

/**
 * Closes the files that this process was started with, whoever left them open, from that number on. Jobs would
 * inherit them; Node sees to that only for low numbers.
 */
export function closeInherited(from: number): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd >= from && (flagsOf(fd) & closedOnStart) === 0) closeSync(fd);
  }
}

function flagsOf(fd: number): number {
  try {
    return Number.parseInt(/^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0', 8);
  } catch {
    // It was only open for reading the list of open files.
    return closedOnStart;
  }
}
