import type { ChildProcess } from 'node:child_process';
import { type JobStdio, type Program, spawnProgram } from '../program.ts';
import type { Cgroup } from './cgroup.ts';

/** Where this process waits for its next job, and where it belongs. As a process is in one cgroup, there is one of these. */
let waiting: { readonly cgroup: Cgroup; readonly home: Cgroup } | null = null;

/**
 * Starts a program in the cgroup that this process waits in, so that the program is in it from its first instruction; then
 * this process moves on to the cgroup of the next program. To move a process the kernel waits until no other one forks or
 * ends, which takes milliseconds on a busy machine: so it happens once, and when the program runs already.
 * @param make makes the cgroup of a program. @param home the one for `leave`.
 * @returns the cgroup; null where no process could be started.
 * @throws Error as `spawn` does.
 */
export function startInNext(
  make: () => Cgroup,
  home: Cgroup,
  program: Program,
  stdio: JobStdio,
): { readonly child: ChildProcess; readonly cgroup: Cgroup | null } {
  const { cgroup } = waiting ?? waitIn(make(), home);
  const child = spawnProgram(program, stdio);
  if (child.pid === undefined) return { child, cgroup: null };
  try {
    waitIn(make(), home);
  } catch {
    leave();
  }
  return { child, cgroup };
}

/** Starts a process of this one's own, which is in the cgroup of no job. */
export function startOutside<T>(start: () => T): T {
  leave();
  return start();
}

/** Takes this process home, until its next job. */
export function leave(): void {
  if (!waiting) return;
  waiting.home.add(process.pid);
  waiting.cgroup.remove();
  waiting = null;
}

function waitIn(cgroup: Cgroup, home: Cgroup): NonNullable<typeof waiting> {
  cgroup.add(process.pid);
  waiting = { cgroup, home };
  return waiting;
}
