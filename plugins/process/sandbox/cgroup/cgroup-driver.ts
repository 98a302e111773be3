import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Sandbox, SandboxDriver } from '../sandbox.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { Cgroup, ownCgroup } from './cgroup.ts';
import { limitsFor } from './cgroup-limits.ts';
import { CgroupSandbox, startByShell } from './cgroup-sandbox.ts';
import { type Delegation, delegate } from './delegated-cgroup.ts';
import { leave, startInNext } from './next-cgroup.ts';

/** Gives each attempt a cgroup, below one for all of the launcher, next to the one that launcher and server are in. */
export class CgroupDriver implements SandboxDriver {
  readonly name = 'cgroup';
  readonly isReady = true;
  readonly #delegation: Delegation;
  readonly #all: Cgroup;
  readonly #guardian: ChildProcess;
  #last = 0;

  /**
   * @param name the name of the cgroup of all attempts.
   * @param isAskedFor whether the configuration names this driver.
   * @throws Error where this process may not create cgroups.
   */
  constructor(name: string, isAskedFor: boolean) {
    // Root may change any cgroup; whether it should, systemd decides where there is systemd.
    const mayMove = isAskedFor || process.getuid?.() !== 0 || !existsSync('/run/systemd/system');
    this.#delegation = delegate(ownCgroup(), [process.pid, process.ppid], mayMove);
    this.#all = new Cgroup(`${this.#delegation.parent.path}/${name}`).create();
    for (const controller of this.#delegation.controllers) this.#all.give(controller);
    this.#guardian = guard(this.#all);
  }

  get cgroup(): string {
    return this.#all.path;
  }

  make(invocation: string, options: SandboxOptions): Sandbox {
    const { home, controllers, problem } = this.#delegation;
    const limits = limitsFor(options);
    const missing = limits.find(({ controller }) => !controllers.includes(controller))?.controller;
    if (missing !== undefined)
      throw new Error(
        `its limits need the controller ${missing} of cgroups v2${problem === null ? '' : `, and ${problem}`}`,
      );
    if (controllers.length === 0) {
      const next = () => new Cgroup(`${this.#all.path}/${++this.#last}`).create();
      return new CgroupSandbox((program, stdio) => startInNext(next, home, program, stdio), null);
    }
    const cgroup = new Cgroup(`${this.#all.path}/${invocation}`).create();
    for (const { file, value } of limits) cgroup.set(file, value);
    return new CgroupSandbox(startByShell(cgroup), cgroup);
  }

  killAll(): boolean {
    leave();
    this.#all.kill();
    return this.#all.isPopulated;
  }

  async close(): Promise<void> {
    leave();
    this.#all.remove();
    this.#guardian.kill('SIGKILL');
  }
}

/**
 * Starts a process that kills all attempts when this one dies: its stdin ends then, by whatever signal that happened,
 * and also when the server has died before. It removes their cgroups once they have had the time to end.
 */
function guard(all: Cgroup): ChildProcess {
  const script = 'read -r _; echo 1 > "$0/cgroup.kill"; sleep 1; rmdir "$0"/*/ "$0"';
  const options = { detached: true, cwd: '/', env: { PATH: '/usr/bin:/bin' } } as const;
  const guardian = spawn('/bin/sh', ['-c', script, all.path], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  guardian.on('error', () => {});
  guardian.stdin?.on('error', () => {});
  guardian.unref();
  return guardian;
}
