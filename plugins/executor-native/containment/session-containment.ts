import type { ChildProcess } from 'node:child_process';
import type { Containment, Enclosure } from './containment.ts';
import { type ProcessEntry, type ProcessTable, processOf, signalGroup } from './process-table.ts';
import { type JobStdio, type Program, spawnProgram } from './program.ts';
import { Survivors } from './survivors.ts';

/** Finds the processes of attempts in the process table, where the machine offers nothing that they cannot leave. */
export class SessionContainment implements Containment {
  readonly name = 'none';
  readonly cgroup = null;
  readonly isReady = true;
  readonly #launcher: string;
  readonly #running = new Set<SessionEnclosure>();

  /** @param launcher the prefix of the ids of its invocations. */
  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  enclose(invocation: string): Enclosure {
    const enclosure = new SessionEnclosure(invocation, () => this.#running.delete(enclosure));
    this.#running.add(enclosure);
    return enclosure;
  }

  killAll(): boolean {
    const leaders = [...this.#running].flatMap(({ leader }) => leader ?? []);
    for (const leader of leaders) signalGroup(leader, 'SIGKILL');
    return new Survivors(this.#launcher, leaders).kill() > 0;
  }

  async close(): Promise<void> {}
}

class SessionEnclosure implements Enclosure {
  leader: number | null = null;
  readonly #invocation: string;
  readonly #onRemoved: () => void;
  #beginning = 0;

  constructor(invocation: string, onRemoved: () => void) {
    this.#invocation = invocation;
    this.#onRemoved = onRemoved;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    const child = spawnProgram(program, stdio);
    this.leader = child.pid ?? null;
    this.#beginning = (child.pid && processOf(child.pid)?.beginning) || 0;
    return child;
  }

  members(table: ProcessTable): readonly ProcessEntry[] {
    const leader = table.entries.find(({ pid }) => pid === this.leader);
    // Process ids are used again, so a later process may have made a session with the same id.
    const session = leader && leader.beginning !== this.#beginning ? null : this.leader;
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
    if (this.leader !== null) signalGroup(this.leader, 'SIGKILL');
  }

  remove(): void {
    this.#onRemoved();
  }
}
