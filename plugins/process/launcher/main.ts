import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Launcher } from './launcher.ts';

// A process name of its own, so that killing the server by name spares the launcher, which then kills the server's jobs.
process.title = 'job-launcher';
// Ignored, because the server decides when its jobs end: a signal to the whole group must not end the launcher first.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

/** The flag O_CLOEXEC as /proc shows it: the system closes such files when a program is started. */
const closeOnExec = 0o2000000;

closeInherited(4);

const launcher = new Launcher(new Socket({ fd: 3, readable: true, writable: true }));

process.on('uncaughtException', (error) => {
  launcher.killNow();
  process.stderr.write(`The launcher of native jobs failed: ${error.stack}\n`);
  process.exit(70);
});

/**
 * Closes the files that this process inherited, from that descriptor on, because jobs would inherit them as well. Node
 * prevents that only for low descriptors.
 */
function closeInherited(from: number): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd >= from && (flagsOf(fd) & closeOnExec) === 0) closeSync(fd);
  }
}

function flagsOf(fd: number): number {
  try {
    return Number.parseInt(/^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0', 8);
  } catch {
    // The descriptor that the list itself was read through is closed already.
    return closeOnExec;
  }
}
