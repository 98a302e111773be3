import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { launcherFolderPrefix } from '../messages.ts';
import { removeFolder } from '../remove-folder.ts';
import { killSessions, sessionsIn, startTimeOf } from '../sessions.ts';
import { isOwnFolder } from './launcher-folder.ts';

/**
 * Records on disk which launcher runs which jobs. When server and launcher are killed at the same time, their jobs run
 * on; the next launcher reads the register and kills them before it starts any of its own.
 */
export class Register {
  readonly #folder: string;
  readonly #running: string;
  #removed: Promise<unknown> = Promise.resolve();

  constructor(folder: string, scratch: string) {
    this.#folder = folder;
    this.#running = runningIn(scratch);
    mkdirSync(this.#running, { mode: 0o700 });
    const self: RegisteredLauncher = {
      pid: process.pid,
      beginning: startTimeOf(process.pid),
      namespace: processNamespace(),
      scratch,
    };
    writeFileSync(`${folder}/launcher`, JSON.stringify(self), { mode: 0o600 });
  }

  add(attempt: number, leader: number): void {
    ignoringErrors(() => symlinkSync(String(leader), `${this.#running}/${attempt}`));
  }

  remove(attempt: number): void {
    ignoringErrors(() => unlinkSync(`${this.#running}/${attempt}`));
  }

  /** Kills the jobs of launchers that were killed, and removes their folders. */
  endPredecessors(): void {
    const removed: Promise<void>[] = [];
    const parent = dirname(this.#folder);
    const folders = readdirSync(parent)
      .filter((name) => name.startsWith(launcherFolderPrefix) && name !== basename(this.#folder))
      .map((name) => `${parent}/${name}`);
    for (const folder of folders) {
      const launcher = launcherOf(folder);
      if (!launcher || launcher.namespace !== processNamespace() || startTimeOf(launcher.pid) === launcher.beginning)
        continue;
      const leaders = leadersIn(launcher.scratch);
      // Process ids are used again, so only sessions that are still in that launcher's working directories count.
      const living = sessionsIn((workingFolder) => workingFolder.startsWith(`${folder}/`));
      const abandoned = new Set([...living].filter((leader) => leaders.has(leader)));
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (let round = 0; killSessions(abandoned) > 0 && round < 200; round++) Atomics.wait(pause, 0, 0, 5);
      removed.push(removeFolder(launcher.scratch), removeFolder(folder));
    }
    this.#removed = Promise.all(removed);
  }

  /** Resolves when the folders of predecessors are gone. */
  async close(): Promise<void> {
    await this.#removed;
  }
}

interface RegisteredLauncher {
  readonly pid: number;
  readonly beginning: string | null;
  readonly namespace: string;
  readonly scratch: string;
}

/** The launcher that a folder names; null for folders that others can write to: they could name any folder to remove. */
function launcherOf(folder: string): RegisteredLauncher | null {
  try {
    return isOwnFolder(folder) ? JSON.parse(readFileSync(`${folder}/launcher`, 'utf8')) : null;
  } catch {
    // The folder is being made at this moment, or belongs to another user.
    return null;
  }
}

function leadersIn(scratch: string): Set<number> {
  const running = runningIn(scratch);
  try {
    return new Set(readdirSync(running).map((attempt) => Number(readlinkSync(`${running}/${attempt}`))));
  } catch {
    return new Set();
  }
}

function runningIn(scratch: string): string {
  return `${scratch}/running`;
}

/** The boot id and the PID namespace: a process id is unique only within both. */
function processNamespace(): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
}

/** Ignores errors of writing, so that jobs run although the register cannot be written, such as on a full disk. */
function ignoringErrors(write: () => void): void {
  try {
    write();
  } catch {
    // The next launcher cannot kill such a job after server and launcher were killed at the same time.
  }
}
