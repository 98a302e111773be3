import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type ProcessEntry, ProcessGroup, processOf } from '../process-table.ts';
import { type JobStdio, type Program, spawnProgram, startedBy } from '../program.ts';
import type { Sandbox, Usage } from '../sandbox.ts';
import type { Cgroup } from './cgroup.ts';

/** A way to start a program in a cgroup. It returns that: null where no process could be started. */
type Start = (program: Program, stdio: JobStdio) => { readonly child: ChildProcess; readonly cgroup: Cgroup | null };

/**
 * Lets a shell enter the cgroup and become the program. This process stays out of a cgroup with controllers: the memory
 * that it touches meanwhile would be charged to the job, and the limits of the job would hold for it.
 */
export function startByShell(cgroup: Cgroup): Start {
  return (program, stdio) => {
    // The kernel asks who has opened the file, so the shell may write to it as another user.
    const file = openSync(`${cgroup.path}/cgroup.procs`, 'w');
    try {
      const script = `echo 0 >&${stdio.length} && exec "$@" ${stdio.length}>&-`;
      const started = startedBy(['/bin/sh', '-c', script, 'sh'], program);
      return { child: spawnProgram({ ...started, identity: program.identity }, [...stdio, file]), cgroup };
    } finally {
      closeSync(file);
    }
  };
}

/** The cgroup of one attempt. */
export class CgroupSandbox implements Sandbox {
  group: ProcessGroup | null = null;
  readonly #start: Start;
  readonly #isMeasured: boolean;
  #cgroup: Cgroup | null;
  /** What has no process any more gets none. */
  #hasEnded = false;

  /** @param cgroup null = the start finds one, which measures nothing. */
  constructor(start: Start, cgroup: Cgroup | null) {
    this.#start = start;
    this.#isMeasured = cgroup !== null;
    this.#cgroup = cgroup;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    const { child, cgroup } = this.#start(program, stdio);
    this.#cgroup = cgroup;
    this.group = child.pid === undefined ? null : new ProcessGroup(child.pid);
    return child;
  }

  members(): ProcessEntry[] {
    return this.isEmpty() ? [] : (this.#cgroup?.pids() ?? []).flatMap((pid) => processOf(pid) ?? []);
  }

  isEmpty(): boolean {
    this.#hasEnded ||= this.group !== null && !this.#cgroup?.isPopulated;
    return this.#hasEnded || !this.#cgroup?.isPopulated;
  }

  kill(): void {
    this.#cgroup?.kill();
  }

  usage(): Usage | null {
    const peak = this.#isMeasured ? this.#cgroup?.read('memory.peak').trim() : '';
    if (!peak) return null;
    const ranOutOfMemory = /^oom(?:_group)?_kill [1-9]/m.test(this.#cgroup?.read('memory.events') ?? '');
    return { peakMemory: Number(peak), ranOutOfMemory };
  }

  remove(): void {
    this.#cgroup?.remove();
  }
}
