import type { ChildProcess } from 'node:child_process';
import type { ProcessEntry, ProcessGroup, ProcessTable } from './process-table.ts';
import type { JobStdio, Program } from './program.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/**
 * The ways to keep the processes of an attempt together, the best first. Each is tried when the launcher starts.
 *
 * A process can leave its process group and its session (`setsid`, a double fork, `nohup` in a login shell), so signals
 * to those end an attempt only if it cooperates. What it cannot leave is named by the kernel:
 *
 * - `cgroup`: each attempt has a cgroup (v2), in which the launcher waited for it. This is first, because it costs four
 *   small files and no further program, and changes nothing that a job could see: process ids, `/proc`, setuid programs
 *   and exit codes are as without it. `cgroup.kill` ends all processes at once. Nothing
 *   in the kernel ties a cgroup to the launcher's life, so a guardian process kills all of them when the launcher dies.
 * - `pid-namespace`: each attempt joins a PID namespace that was prepared for it. The job is a child of `nsenter`, and not
 *   the namespace's first process: that one would ignore SIGTERM, and `nsenter` ends by the same code or signal as the
 *   job. It costs two further programs at the start (3 ms). The kernel kills the namespace with the launcher. For a
 *   server that is not root it needs a user namespace, in which setuid programs do not work.
 * - `bubblewrap`: each attempt runs under `bwrap`, which makes the namespace itself (5 ms). An end by signal N becomes
 *   exit code 128 + N, and what the job leaves running is killed without a grace as soon as the job has ended.
 * - `none`: survivors are found in the process table, by their session, by a variable of their environment or by their
 *   parent. A process that left the session, emptied its environment and lost its parent is not found.
 *
 * One namespace around the launcher and all its jobs would cost nothing for each job and die with the launcher as well,
 * but it could not tell the jobs in it apart: cancelling one of them would need a cgroup besides.
 */
export const sandboxNames = ['cgroup', 'pid-namespace', 'bubblewrap', 'none'] as const;
export type SandboxName = (typeof sandboxNames)[number];

/** PORT: makes sandboxes, in one of these ways. */
export interface SandboxDriver {
  readonly name: SandboxName;
  /** Path of the cgroup that holds those of all attempts; null where there is none. */
  readonly cgroup: string | null;
  /** Whether one can be made now. */
  readonly isReady: boolean;
  /**
   * Makes the sandbox of an attempt.
   * @param invocation the id that the environment of the attempt names.
   * @param options a driver applies those that it can; `Sandboxes` sees to the others.
   * @throws Error when it cannot be made, or not with those options.
   */
  make(invocation: string, options: SandboxOptions): Sandbox;
  /** Kills the processes of all sandboxes. @returns whether some still live; repeat until none does. */
  killAll(): boolean;
  /** Releases everything, once no process is left. */
  close(): Promise<void>;
}

/** The processes of one attempt, whatever they do: children, members of other sessions, daemons. */
export interface Sandbox {
  /** The job's process group and session; null before the start, and where they cannot be signalled as a group. */
  readonly group: ProcessGroup | null;
  /** Starts the job's own process. @throws Error as `spawn` does. */
  start(program: Program, stdio: JobStdio): ChildProcess;
  /** The living processes inside, without those of the sandbox itself, such as the first process of its namespace. */
  members(table: ProcessTable): readonly ProcessEntry[];
  /** Whether no process lives; null where only the process table can tell. */
  isEmpty(): boolean | null;
  /** Kills what can be named at once: everything, unless only the process table can tell what there is. */
  kill(): void;
  /** What its processes have used together; null where it is not measured. */
  usage(): Usage | null;
  /** Releases it, once no process is left. */
  remove(): void;
}

/** What the processes of an attempt have used together. */
export interface Usage {
  /** In bytes. */
  readonly peakMemory: number;
  /** Whether the kernel killed it because it reached its limit of memory. */
  readonly ranOutOfMemory: boolean;
}
