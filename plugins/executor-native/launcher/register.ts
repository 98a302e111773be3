import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { launcherFolderPrefix } from '../messages.ts';
import { removeFolder } from '../remove-folder.ts';
import { beginningOf, killSessions, sessionsIn } from '../sessions.ts';
import { isOwnFolder } from './launcher-folder.ts';

/**
 * Records which launcher runs which jobs, where the next launcher finds it. When server and launcher are killed at once,
 * nothing is left to end their jobs; the next launcher does, before it starts any of its own.
 */
export class Register {
  readonly #folder: string;
  readonly #running: string;
  #tidied: Promise<unknown> = Promise.resolve();

  constructor(folder: string, scratch: string) {
    this.#folder = folder;
    this.#running = runningIn(scratch);
    mkdirSync(this.#running, { mode: 0o700 });
    const self: Launcher = {
      pid: process.pid,
      beginning: beginningOf(process.pid),
      namespace: processNamespace(),
      scratch,
    };
    writeFileSync(`${folder}/launcher`, JSON.stringify(self), { mode: 0o600 });
  }

  enter(attempt: number, leader: number): void {
    ignoringErrors(() => symlinkSync(String(leader), `${this.#running}/${attempt}`));
  }

  strike(attempt: number): void {
    ignoringErrors(() => unlinkSync(`${this.#running}/${attempt}`));
  }

  /** Kills what launchers that were killed left running, and removes their folders. */
  endPredecessors(): void {
    const removed: Promise<void>[] = [];
    const parent = dirname(this.#folder);
    const folders = readdirSync(parent)
      .filter((name) => name.startsWith(launcherFolderPrefix) && name !== basename(this.#folder))
      .map((name) => `${parent}/${name}`);
    for (const folder of folders) {
      const launcher = launcherOf(folder);
      if (!launcher || launcher.namespace !== processNamespace() || beginningOf(launcher.pid) === launcher.beginning)
        continue;
      const leaders = leadersIn(launcher.scratch);
      // Numbers are used again: only who is still in that launcher's working directories is meant.
      const living = sessionsIn((workingFolder) => workingFolder.startsWith(`${folder}/`));
      const meant = new Set([...living].filter((leader) => leaders.has(leader)));
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (let round = 0; killSessions(meant) > 0 && round < 200; round++) Atomics.wait(pause, 0, 0, 5);
      removed.push(removeFolder(launcher.scratch), removeFolder(folder));
    }
    this.#tidied = Promise.all(removed);
  }

  /** Resolves when the folders of predecessors are gone. */
  async close(): Promise<void> {
    await this.#tidied;
  }
}

interface Launcher {
  readonly pid: number;
  readonly beginning: string | null;
  readonly namespace: string;
  readonly scratch: string;
}

/** The launcher that a folder says it is of. What others could have written there would say which folders to remove. */
function launcherOf(folder: string): Launcher | null {
  try {
    return isOwnFolder(folder) ? JSON.parse(readFileSync(`${folder}/launcher`, 'utf8')) : null;
  } catch {
    // It is just being made, or belongs to another user.
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

/** The machine's start and the namespace of process numbers: together they say what a number means. */
function processNamespace(): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
}

/** A register that cannot be written, as the disk is full, must not prevent a job from running. */
function ignoringErrors(write: () => void): void {
  try {
    write();
  } catch {
    // Only its purpose is lost: ending jobs after server and launcher were killed at once.
  }
}
