import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type ProcessEntry, ProcessGroup, processOf } from '../process-table.ts';
import { type JobStdio, type Program, spawnProgram, startedBy } from '../program.ts';
import type { Sandbox, Usage } from '../sandbox.ts';
import type { Cgroup } from './cgroup.ts';

/** A way to start a program in a cgroup. */
type Start = (program: Program, stdio: JobStdio) => ChildProcess;

/** Enters the cgroup for the moment of the fork, so that the program is in it from its first instruction. */
export function startByEntering(cgroup: Cgroup, home: Cgroup): Start {
  return (program, stdio) => {
    cgroup.add(process.pid);
    try {
      return spawnProgram(program, stdio);
    } finally {
      home.add(process.pid);
    }
  };
}

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
      return spawnProgram({ ...started, identity: program.identity }, [...stdio, file]);
    } finally {
      closeSync(file);
    }
  };
}

/** The cgroup of one attempt. */
export class CgroupSandbox implements Sandbox {
  group: ProcessGroup | null = null;
  readonly #cgroup: Cgroup;
  readonly #start: Start;

  constructor(cgroup: Cgroup, start: Start) {
    this.#cgroup = cgroup;
    this.#start = start;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    const child = this.#start(program, stdio);
    this.group = child.pid === undefined ? null : new ProcessGroup(child.pid);
    return child;
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

  usage(): Usage | null {
    const peak = this.#cgroup.read('memory.peak').trim();
    const ranOutOfMemory = /^oom(?:_group)?_kill [1-9]/m.test(this.#cgroup.read('memory.events'));
    return peak === '' ? null : { peakMemory: Number(peak), ranOutOfMemory };
  }

  remove(): void {
    this.#cgroup.remove();
  }
}
