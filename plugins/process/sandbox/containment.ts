import type { ChildProcess } from 'node:child_process';
import type { Limits } from './limits.ts';
import type { ProcessEntry, ProcessGroup, ProcessTable } from './process-table.ts';
import type { JobStdio, Program } from './program.ts';

/**
 * The ways to keep the processes of an attempt together, the best first. Each is tried when the launcher starts.
 *
 * A process can leave its process group and its session (`setsid`, a double fork, `nohup` in a login shell), so signals
 * to those end an attempt only if it cooperates. What it cannot leave is named by the kernel:
 *
 * - `cgroup`: each attempt has a cgroup (v2), which the launcher enters for the moment of the fork. This is first,
 *   because it costs five small files and no further program (0.6 ms), and changes nothing that a job could see: process
 *   ids, `/proc`, setuid programs and exit codes are as without it. `cgroup.kill` ends all processes at once. Nothing
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
export const containmentNames = ['cgroup', 'pid-namespace', 'bubblewrap', 'none'] as const;
export type ContainmentName = (typeof containmentNames)[number];

/** PORT: a way to keep the processes of attempts together. */
export interface Containment {
  readonly name: ContainmentName;
  /** Path of the cgroup that holds those of all attempts; null where there is none. */
  readonly cgroup: string | null;
  /** Whether an attempt can be enclosed now. */
  readonly isReady: boolean;
  /**
   * Makes the enclosure of an attempt.
   * @param invocation the id that the environment of the attempt names.
   * @param limits of what its processes may use together; only cgroups have any.
   * @throws Error when it cannot be made, or not with those limits.
   */
  enclose(invocation: string, limits: Limits): Enclosure;
  /** Kills the processes of all enclosures. @returns whether some still live; repeat until none does. */
  killAll(): boolean;
  /** Releases everything, once no process is left. */
  close(): Promise<void>;
}

/** The processes of one attempt, whatever they do: children, members of other sessions, daemons. */
export interface Enclosure {
  /** The job's process group and session; null before the start, and where they cannot be signalled as a group. */
  readonly group: ProcessGroup | null;
  /** Starts the job's own process. @throws Error as `spawn` does. */
  start(program: Program, stdio: JobStdio): ChildProcess;
  /** The living processes inside, but for those that only hold it together. */
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
