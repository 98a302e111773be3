import { readdirSync, readFileSync } from 'node:fs';

/**
 * Every job leads a session and, in it, a process group of its own, both with the number of its first process.
 * A shell with job control, `timeout` and the like make further groups inside the session, so a signal to the group,
 * which is quick, does not reach everything; finding the rest means reading the process table.
 */
interface Member {
  readonly pid: number;
  readonly group: number;
  readonly session: number;
}

/** Whether there was such a group. Zombies count as members. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Kills everything in those sessions; the number of processes that were still there. Repeat until it is 0. */
export function killSessions(leaders: ReadonlySet<number>): number {
  for (const leader of leaders) signalGroup(leader, 'SIGKILL');
  const members = membersOf(leaders);
  for (const { pid } of members) signalProcess(pid, 'SIGKILL');
  return members.length;
}

/** Living processes of those sessions. */
export function membersOf(leaders: Pick<ReadonlySet<number>, 'has' | 'size'>): Member[] {
  if (leaders.size === 0) return [];
  return processIds()
    .map(memberOf)
    .filter((member) => member !== null && leaders.has(member.session)) as Member[];
}

/**
 * The sessions of living processes whose environment names a working directory that is wanted, and that began since
 * then, in seconds since the machine started.
 */
export function sessionsIn(wanted: (workingFolder: string) => boolean, since = 0): Set<number> {
  const processes = processIds().filter((pid) => {
    const workingFolder = /(?:^|\0)HORARIUM_WORKDIR=([^\0]*)/.exec(read(pid, 'environ'))?.[1];
    if (workingFolder === undefined || !wanted(workingFolder)) return false;
    return Number(beginningOf(pid)) >= Math.floor(since * ticksPerSecond) - 1;
  });
  return new Set(processes.flatMap((pid) => memberOf(pid)?.session ?? []));
}

/** The unit in which Linux tells programs when processes began, whatever the machine. */
const ticksPerSecond = 100;

/** When the process began, as the system counts it: with its number that tells it from a later one. Null if it is gone. */
export function beginningOf(pid: number): string | null {
  return statusOf(pid)?.[19] ?? null;
}

function processIds(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

function memberOf(pid: number): Member | null {
  const [, , group, session] = statusOf(pid) ?? [];
  return session === undefined ? null : { pid, group: Number(group), session: Number(session) };
}

/** The fields after the program's name: state, parent, group, session… Null for zombies: they are as good as gone. */
function statusOf(pid: number): string[] | null {
  const text = read(pid, 'stat');
  // The name comes in parentheses and may itself hold anything, spaces and parentheses included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X' ? null : fields;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Signals one process, if it is still there. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
