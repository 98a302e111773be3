import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Launcher } from './launcher.ts';

// A name of its own, so that killing the server by name leaves its launcher alive, which then ends the server's jobs.
process.title = 'job-launcher';
// The server decides when its jobs end; a signal to all of them together must not take the launcher first.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

/** O_CLOEXEC as /proc shows it: the system closes such files when a program is started. */
const closedOnStart = 0o2000000;

closeInherited(4);

const launcher = new Launcher(new Socket({ fd: 3, readable: true, writable: true }));

process.on('uncaughtException', (error) => {
  launcher.killNow();
  process.stderr.write(`The launcher of native jobs failed: ${error.stack}\n`);
  process.exit(70);
});

/**
 * Closes files that this process inherited, from that number on: jobs would inherit them as well. Node prevents that
 * only for low numbers.
 */
function closeInherited(from: number): void {
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
