import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processesWith } from '../../support/program/processes.ts';
import { plainEnvironment } from './command.ts';

/** How long processes may take to tidy up before they are killed, in milliseconds. */
const grace = 15_000;

interface GroupOptions {
  /** Names its folder for temporary files. */
  readonly name: string;
  /** The folder that gets this one. */
  readonly folder: string;
  /** Ends the group. */
  readonly signal: AbortSignal;
  /** Ends the group too. */
  readonly maxMinutes: number;
}

/** A program and all that it starts, which end together, with a folder for their temporary files. */
export class ProcessGroup<T extends ChildProcess> implements AsyncDisposable {
  readonly child: T;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  /** @param start starts the program with these options. @throws the reason of the signal when that was sent before. */
  constructor(
    { name, folder, signal, maxMinutes }: GroupOptions,
    start: (options: { readonly detached: true; readonly env: NodeJS.ProcessEnv }) => T,
  ) {
    signal.throwIfAborted();
    this.#folder = mkdtempSync(join(folder, `${name}-`));
    // PostgreSQL runs as another user when this user is root.
    chmodSync(this.#folder, 0o711);
    this.child = start({ detached: true, env: { ...plainEnvironment(), TMPDIR: this.#folder } });
    this.#signal = signal;
    this.#signal.addEventListener('abort', this.end);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.end();
    }, maxMinutes * 60_000);
  }

  /** Whether the group was ended because it took too long. */
  get isLate(): boolean {
    return this.#isLate;
  }

  readonly end = (): void => {
    if (this.child.pid !== undefined) signalIfAlive(-this.child.pid, 'SIGTERM');
  };

  /** Waits until all processes of the group have ended, those with a group of their own too. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.end);
    this.end();
    await endProcessesOf(this.#folder);
  }
}

/** Waits until the processes that have a folder in their environment have ended, and then kills those that have not. */
export async function endProcessesOf(folder: string): Promise<void> {
  const others = () => processesWith(folder).filter((pid) => pid !== process.pid);
  const deadline = performance.now() + grace;
  while (others().length > 0 && performance.now() < deadline) await pause(50);
  for (const pid of others()) signalIfAlive(pid, 'SIGKILL');
}

/** @param pid of a process; negative for a group of processes. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
