import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process of a session. Every job leads a session and, in it, a process group, both with the id of its first process.
 * A signal to the group is quick but does not reach everything: a shell with job control or `timeout` makes further
 * groups inside the session, whose processes are found only in the process table.
 */
interface Member {
  readonly pid: number;
  readonly group: number;
  readonly session: number;
}

/** Signals a process group. @returns whether there was such a group; zombies count as members. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Kills everything in those sessions. @returns the number of processes that still lived; repeat until it is 0. */
export function killSessions(leaders: ReadonlySet<number>): number {
  for (const leader of leaders) signalGroup(leader, 'SIGKILL');
  const members = membersOf(leaders);
  for (const { pid } of members) signalProcess(pid, 'SIGKILL');
  return members.length;
}

/** The living processes of those sessions. */
export function membersOf(leaders: Pick<ReadonlySet<number>, 'has' | 'size'>): Member[] {
  if (leaders.size === 0) return [];
  return processIds()
    .map(memberOf)
    .filter((member) => member !== null && leaders.has(member.session)) as Member[];
}

/**
 * The sessions of living processes whose environment names a matching working directory.
 * @param since the earliest start of such a process, in seconds since the machine started.
 */
export function sessionsIn(matches: (workingFolder: string) => boolean, since = 0): Set<number> {
  const processes = processIds().filter((pid) => {
    const workingFolder = /(?:^|\0)HORARIUM_WORKDIR=([^\0]*)/.exec(read(pid, 'environ'))?.[1];
    if (workingFolder === undefined || !matches(workingFolder)) return false;
    return Number(startTimeOf(pid)) >= Math.floor(since * ticksPerSecond) - 1;
  });
  return new Set(processes.flatMap((pid) => memberOf(pid)?.session ?? []));
}

/** The clock ticks per second in which `/proc` gives times: 100 on every machine (USER_HZ). */
const ticksPerSecond = 100;

/**
 * The start time of a process, in clock ticks since the machine started; null when the process is gone. Process ids are
 * used again, so id and start time together identify a process.
 */
export function startTimeOf(pid: number): string | null {
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

/** The fields of `/proc/<pid>/stat` after the program's name: state, parent, group, session… Null for zombies. */
function statusOf(pid: number): string[] | null {
  const text = read(pid, 'stat');
  // The name stands in parentheses, and may contain spaces and parentheses itself.
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
