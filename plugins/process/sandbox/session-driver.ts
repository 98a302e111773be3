import type { ChildProcess } from 'node:child_process';
import { type ProcessEntry, ProcessGroup, type ProcessTable, processOf } from './process-table.ts';
import { type JobStdio, type Program, spawnProgram } from './program.ts';
import type { Sandbox, SandboxDriver } from './sandbox.ts';
import { Survivors } from './survivors.ts';

/** Finds the processes of attempts in the process table, where the machine offers nothing that they cannot leave. */
export class SessionDriver implements SandboxDriver {
  readonly name = 'none';
  readonly cgroup = null;
  readonly isReady = true;
  readonly #launcher: string;
  readonly #running = new Set<SessionSandbox>();

  /** @param launcher the prefix of the ids of its invocations. */
  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  make(invocation: string): Sandbox {
    const sandbox = new SessionSandbox(invocation, () => this.#running.delete(sandbox));
    this.#running.add(sandbox);
    return sandbox;
  }

  killAll(): boolean {
    const groups = [...this.#running].flatMap(({ group }) => (group?.isCurrent ? group : []));
    for (const group of groups) group.signal('SIGKILL');
    const sessions = groups.map(({ id }) => id);
    return new Survivors(this.#launcher, sessions).kill() > 0;
  }

  async close(): Promise<void> {}
}

class SessionSandbox implements Sandbox {
  group: ProcessGroup | null = null;
  readonly #invocation: string;
  readonly #onRemoved: () => void;
  #beginning = 0;

  constructor(invocation: string, onRemoved: () => void) {
    this.#invocation = invocation;
    this.#onRemoved = onRemoved;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    const child = spawnProgram(program, stdio);
    if (child.pid === undefined) return child;
    const leader = processOf(child.pid);
    this.group = new ProcessGroup(child.pid, leader);
    this.#beginning = leader?.beginning ?? 0;
    return child;
  }

  members(table: ProcessTable): readonly ProcessEntry[] {
    const session = this.group?.isCurrent ? this.group.id : null;
    const belongs = (entry: ProcessEntry) =>
      entry.beginning >= this.#beginning &&
      (entry.session === session || table.invocationOf(entry) === this.#invocation);
    return table.withDescendants(table.entries.filter(belongs));
  }

  isEmpty(): null {
    return null;
  }

  usage(): null {
    return null;
  }

  kill(): void {
    this.group?.signal('SIGKILL');
  }

  remove(): void {
    this.#onRemoved();
  }
}
