import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type ProcessEntry, type ProcessTable, signalProcess } from '../process-table.ts';
import { type JobStdio, type Program, spawnProgram } from '../program.ts';
import type { Sandbox, SandboxDriver, Usage } from '../sandbox.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { Bubblewrap } from './bubblewrap.ts';
import { NamespaceInit } from './namespace-init.ts';

/** Runs each attempt under `bwrap`. */
export class BubblewrapDriver implements SandboxDriver {
  readonly name = 'bubblewrap';
  readonly cgroup = null;
  readonly isReady = true;
  readonly #bubblewrap = new Bubblewrap();
  readonly #running = new Set<BubblewrapSandbox>();

  /** @param cgroup a sandbox that is to hold `bwrap` with all that is in it. */
  make(_invocation: string, options: SandboxOptions, cgroup: Sandbox | null = null): Sandbox {
    const around = (program: Program) => this.#bubblewrap.around(program, options, ['--info-fd', '3']);
    const sandbox = new BubblewrapSandbox(around, cgroup, () => this.#running.delete(sandbox));
    this.#running.add(sandbox);
    return sandbox;
  }

  killAll(): boolean {
    const living = [...this.#running].filter((sandbox) => !sandbox.isEmpty());
    for (const sandbox of living) sandbox.kill();
    return living.length > 0;
  }

  async close(): Promise<void> {}
}

class BubblewrapSandbox implements Sandbox {
  /** The group of `bwrap` is not signalled: it would end, and with it the namespace, without a grace for the job. */
  readonly group = null;
  readonly #around: (program: Program) => Program;
  readonly #cgroup: Sandbox | null;
  readonly #onRemoved: () => void;
  #bwrap: ChildProcess | null = null;
  #init: NamespaceInit | null = null;
  /** Whether `bwrap` has told the id of the namespace's first process, or will never. */
  #isToldInit = false;

  constructor(around: (program: Program) => Program, cgroup: Sandbox | null, onRemoved: () => void) {
    this.#around = around;
    this.#cgroup = cgroup;
    this.#onRemoved = onRemoved;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    const [started, files]: [Program, JobStdio] = [this.#around(program), [...stdio, 'pipe']];
    const bwrap = this.#cgroup?.start(started, files) ?? spawnProgram(started, files);
    this.#bwrap = bwrap;
    const info = bwrap.stdio[3] as Readable;
    let text = '';
    info.on('data', (bytes: Buffer) => {
      text += bytes;
      const pid = text.match(/"child-pid": (\d+)/)?.[1];
      if (pid !== undefined) this.#init ??= new NamespaceInit(Number(pid));
    });
    info.once('error', () => info.destroy());
    info.once('close', () => {
      this.#isToldInit = true;
    });
    return bwrap;
  }

  members(table: ProcessTable): readonly ProcessEntry[] {
    return this.#init?.members(table) ?? [];
  }

  isEmpty(): boolean {
    if (this.#bwrap === null) return true;
    return this.#hasEnded && this.#isToldInit && (this.#init?.hasEnded ?? true) && this.#cgroup?.isEmpty() !== false;
  }

  kill(): void {
    // The namespace dies with bwrap as well, but not before bwrap has ended.
    if (this.#init) this.#init.kill();
    else if (this.#bwrap?.pid !== undefined && !this.#hasEnded) signalProcess(this.#bwrap.pid, 'SIGKILL');
    this.#cgroup?.kill();
  }

  usage(): Usage | null {
    return this.#cgroup?.usage() ?? null;
  }

  remove(): void {
    this.#cgroup?.remove();
    this.#onRemoved();
  }

  get #hasEnded(): boolean {
    return this.#bwrap === null || this.#bwrap.exitCode !== null || this.#bwrap.signalCode !== null;
  }
}
