import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A living process, as `/proc` shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /**
   * Its start, in clock ticks since the machine started. Process ids are used again, so id and start together identify
   * a process.
   */
  readonly beginning: number;
  /** Whether it is about to end: it has no memory any more, and with it no environment, but still its open files. */
  readonly exiting: boolean;
}

/** The variable that marks the processes of an attempt; in systemd's words a unit's run is an invocation too. */
export const invocationVariable = 'HORARIUM_INVOCATION_ID';

/** The living processes of one moment, zombies left out. What nobody asks for is not read. */
export class ProcessTable {
  #entries: readonly ProcessEntry[] | null;
  readonly #invocations = new Map<ProcessEntry, string | null>();

  /** @param entries null = those of the machine, when they are asked for. */
  constructor(entries: readonly ProcessEntry[] | null = null) {
    this.#entries = entries;
  }

  get entries(): readonly ProcessEntry[] {
    this.#entries ??= processes();
    return this.#entries;
  }

  /** The id of the invocation that the environment of a process names; null where it names none or may not be read. */
  invocationOf(entry: ProcessEntry): string | null {
    let invocation = this.#invocations.get(entry);
    if (invocation === undefined) {
      invocation = readInvocation(entry.pid);
      this.#invocations.set(entry, invocation);
    }
    return invocation;
  }

  /** These processes, with their children and the children of those. */
  withDescendants(ancestors: readonly ProcessEntry[]): ProcessEntry[] {
    const found = new Map(ancestors.map((entry) => [entry.pid, entry]));
    for (let before = 0; before < found.size; ) {
      before = found.size;
      for (const entry of this.entries) if (found.has(entry.parent)) found.set(entry.pid, entry);
    }
    return [...found.values()];
  }
}

function processes(): ProcessEntry[] {
  const ids = readdirSync('/proc').map(Number);
  return ids.flatMap((pid) => (pid > 0 && processOf(pid)) || []);
}

/** A process; null when it is gone or a zombie. */
export function processOf(pid: number): ProcessEntry | null {
  const text = read(pid, 'stat');
  // The name stands in parentheses, and may contain spaces and parentheses itself.
  const [state, parent, group, session, , , flags, ...others] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (flags === undefined || state === 'Z' || state === 'X') return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    beginning: Number(others[startField]),
    exiting: (Number(flags) & exitingFlag) !== 0,
  };
}

/** The index of `starttime` among the fields of `/proc/<pid>/stat` that follow `flags`. */
const startField = 12;
/** The kernel's PF_EXITING. */
const exitingFlag = 0x4;

/** The children of a process with a single thread, zombies included. */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  // Some kernels are built without that file.
  if (!existsSync(path)) return processes().flatMap((entry) => (entry.parent === pid ? entry.pid : []));
  return read(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Signals one process, if it is still there. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

/**
 * The process group and the session of a program that this process has started as their leader. Their id is the leader's.
 * The kernel may give it to another process once nothing is left of them, so it is compared with the leader before it is
 * used: on a busy machine ids come round within seconds.
 */
export class ProcessGroup {
  readonly id: number;
  readonly #beginning: number | undefined;

  /** @param leader null = it has ended already, and only other processes of its group and session are left. */
  constructor(id: number, leader: Pick<ProcessEntry, 'beginning'> | null = processOf(id)) {
    this.id = id;
    this.#beginning = leader?.beginning;
  }

  /** Whether the id is not that of a later process. */
  get isCurrent(): boolean {
    const holder = processOf(this.id);
    return holder === null || holder.beginning === this.#beginning;
  }

  /** Signals the group. @returns whether it is still there; zombies count as members. */
  signal(signal: NodeJS.Signals): boolean {
    if (!this.isCurrent) return false;
    try {
      process.kill(-this.id, signal);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }
}

function readInvocation(pid: number): string | null {
  const environment = `\0${read(pid, 'environ')}`;
  const at = environment.indexOf(`\0${invocationVariable}=`);
  if (at < 0) return null;
  const start = at + invocationVariable.length + 2;
  const end = environment.indexOf('\0', start);
  return environment.slice(start, end < 0 ? undefined : end);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
