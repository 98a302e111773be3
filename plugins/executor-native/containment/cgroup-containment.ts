import { type ChildProcess, spawn } from 'node:child_process';
import { Cgroup, ownCgroup } from './cgroup.ts';
import type { Containment, Enclosure } from './containment.ts';
import { type ProcessEntry, processOf } from './process-table.ts';
import { type JobStdio, type Program, spawnProgram } from './program.ts';

/** Gives each attempt a cgroup, below one for the launcher, which is itself in the cgroup that the server is in. */
export class CgroupContainment implements Containment {
  readonly name = 'cgroup';
  readonly isReady = true;
  readonly #home = ownCgroup();
  readonly #all: Cgroup;
  readonly #guardian: ChildProcess;

  /**
   * @param name the name of the cgroup of all attempts.
   * @throws Error where this process may not create cgroups.
   */
  constructor(name: string) {
    this.#all = new Cgroup(`${this.#home.path}/${name}`).create();
    this.#guardian = guard(this.#all);
  }

  get cgroup(): string {
    return this.#all.path;
  }

  enclose(invocation: string): Enclosure {
    return new CgroupEnclosure(new Cgroup(`${this.#all.path}/${invocation}`).create(), this.#home);
  }

  killAll(): boolean {
    this.#all.kill();
    return this.#all.isPopulated;
  }

  async close(): Promise<void> {
    this.#all.remove();
    this.#guardian.kill('SIGKILL');
  }
}

/**
 * Starts a process that kills all attempts when this one dies: its stdin ends then, by whatever signal that happened,
 * and also when the server has died before.
 */
function guard(all: Cgroup): ChildProcess {
  const script = 'read -r _; echo 1 > "$0/cgroup.kill"';
  const options = { detached: true, cwd: '/', env: {} } as const;
  const guardian = spawn('/bin/sh', ['-c', script, all.path], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  guardian.on('error', () => {});
  guardian.stdin?.on('error', () => {});
  guardian.unref();
  return guardian;
}

class CgroupEnclosure implements Enclosure {
  leader: number | null = null;
  readonly #cgroup: Cgroup;
  readonly #home: Cgroup;

  constructor(cgroup: Cgroup, home: Cgroup) {
    this.#cgroup = cgroup;
    this.#home = home;
  }

  /** Enters the cgroup for the moment of the fork, so that the job is in it from its first instruction. */
  start(program: Program, stdio: JobStdio): ChildProcess {
    this.#cgroup.add(process.pid);
    try {
      const child = spawnProgram(program, stdio);
      this.leader = child.pid ?? null;
      return child;
    } finally {
      this.#home.add(process.pid);
    }
  }

  members(): ProcessEntry[] {
    return this.isEmpty() ? [] : this.#cgroup.pids().flatMap((pid) => processOf(pid) ?? []);
  }

  isEmpty(): boolean {
    return !this.#cgroup.isPopulated;
  }

  kill(): void {
    this.#cgroup.kill();
  }

  remove(): void {
    this.#cgroup.remove();
  }
}
