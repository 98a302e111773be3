import { setTimeout as sleep } from 'node:timers/promises';
import { Cgroup } from './cgroup/cgroup.ts';
import { type ProcessEntry, ProcessTable, signalProcess } from './process-table.ts';

/**
 * The processes of all jobs of one launcher: those whose environment names an invocation of it, the members of their
 * sessions and their children. A process that was found stays known, even after it has ended and its
 * environment can no longer be read.
 */
export class Survivors {
  readonly #prefix: string;
  readonly #sessions: Set<number>;
  readonly #known = new Map<number, number>();
  /** The processes of the machine that were ending at the first look. */
  #ending: readonly ProcessEntry[] | null = null;

  /** @param sessions further sessions of its jobs. */
  constructor(launcher: string, sessions: readonly number[] = []) {
    this.#prefix = `${launcher}.`;
    this.#sessions = new Set(sessions);
  }

  /** Kills them. @returns the number of those that still lived; repeat until it is 0. */
  kill(table = new ProcessTable()): number {
    const found = table.entries.filter((entry) => this.#belongs(table, entry));
    for (const { session } of found) this.#sessions.add(session);
    const members = table.withDescendants([
      ...found,
      ...table.entries.filter((entry) => this.#sessions.has(entry.session)),
    ]);
    for (const { pid, beginning } of members) {
      this.#known.set(pid, beginning);
      signalProcess(pid, 'SIGKILL');
    }
    // The id of a session without members may be given to another one.
    const inhabited = new Set(members.map(({ session }) => session));
    for (const session of this.#sessions) if (!inhabited.has(session)) this.#sessions.delete(session);
    return members.length + this.#stillEnding(table);
  }

  #belongs(table: ProcessTable, entry: ProcessEntry): boolean {
    if (this.#known.get(entry.pid) === entry.beginning) return true;
    return table.invocationOf(entry)?.startsWith(this.#prefix) === true;
  }

  /**
   * A process that was ending at the first look may be one of theirs: it has no environment any more that could tell. So
   * its end is waited for, but neither its children nor its session are touched, which may be anybody's.
   */
  #stillEnding({ entries }: ProcessTable): number {
    this.#ending ??= entries.filter(({ exiting }) => exiting);
    const beginnings = new Map(this.#ending.map(({ pid, beginning }) => [pid, beginning]));
    return entries.filter(({ pid, beginning }) => beginnings.get(pid) === beginning).length;
  }
}

/** What a launcher leaves to be found when it is gone. */
export interface LauncherRemains {
  /** The prefix of the ids of its invocations. */
  readonly launcher: string;
  /** The cgroup of all of its jobs. */
  readonly cgroup: string | null;
}

/** Kills all processes of a launcher that is gone. Resolves when none is left. */
export async function reap({ launcher, cgroup: path }: LauncherRemains): Promise<void> {
  const survivors = new Survivors(launcher);
  const cgroup = path === null ? null : new Cgroup(path);
  // Limited, because a process that waits for a disk cannot be killed.
  for (let round = 0; round < 500; round++) {
    cgroup?.kill();
    const living = survivors.kill();
    if (living === 0 && !cgroup?.isPopulated) break;
    await sleep(10);
  }
  cgroup?.remove();
}
