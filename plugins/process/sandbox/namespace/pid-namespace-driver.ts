import type { ChildProcess } from 'node:child_process';
import { invocationVariable, type ProcessEntry, type ProcessTable } from '../process-table.ts';
import { type JobStdio, type Program, spawnProgram, startedBy, systemProgram } from '../program.ts';
import type { Sandbox, SandboxDriver } from '../sandbox.ts';
import { initScript, PidNamespace } from './pid-namespace.ts';

/** The numbers of namespaces that wait for attempts: making one takes as long as starting four programs. */
const minSpares = 4;
const maxSpares = 32;

/** Returns the command that starts a program in the PID namespace whose first process is `init`. */
type Enter = (init: number, program: Program) => [string, ...string[]];

/**
 * Gives each attempt a PID namespace with a `/proc` of its own, made ahead of time. If an attempt leaves processes running,
 * its namespace is ended, which kills them; otherwise the next attempt gets the same namespace.
 */
export class PidNamespaceDriver implements SandboxDriver {
  readonly name = 'pid-namespace';
  readonly cgroup = null;
  readonly #launcher: string;
  readonly #onReady: () => void;
  readonly #make: readonly [string, ...string[]];
  readonly #enter: Enter;
  readonly #spare: PidNamespace[] = [];
  readonly #used = new Set<PidNamespace>();
  #making = 0;
  #failure: string | null = null;
  #closed = false;

  /**
   * @param launcher the prefix of the ids of its invocations.
   * @param onReady called when `isReady` may have become true.
   * @throws Error naming a program that is not installed.
   */
  constructor(launcher: string, onReady: () => void) {
    this.#launcher = launcher;
    this.#onReady = onReady;
    const isRoot = process.getuid?.() === 0;
    const user = isRoot ? [] : ['--user', '--map-current-user'];
    const mounts = ['--mount-proc', '--propagation', 'slave'];
    const unshare = [systemProgram('unshare'), ...user, '--pid', '--fork', '--kill-child', ...mounts];
    this.#make = [systemProgram('setpriv'), '--pdeathsig', 'KILL', ...unshare, '/bin/sh', '-c', initScript];
    this.#enter = enterBy(systemProgram('nsenter'), systemProgram('setsid'), isRoot);
    this.#refill();
  }

  get isReady(): boolean {
    // One that was killed is replaced.
    while (this.#spare[0]?.hasEnded) this.#spare.shift();
    this.#refill();
    return this.#spare.length > 0 || this.#failure !== null;
  }

  make(): Sandbox {
    const namespace = this.#spare.shift();
    const failure = this.#failure;
    this.#failure = null;
    this.#refill();
    if (!namespace) throw new Error(failure ?? 'no PID namespace is ready');
    this.#used.add(namespace);
    return new PidNamespaceSandbox(namespace, this.#enter, () => this.#takeBack(namespace));
  }

  killAll(): boolean {
    const living = [...this.#used].filter((namespace) => !namespace.hasEnded);
    for (const namespace of living) namespace.kill();
    return living.length > 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const namespace of this.#spare) namespace.kill();
  }

  #takeBack(namespace: PidNamespace): void {
    this.#used.delete(namespace);
    if (!this.#closed && this.#spare.length < maxSpares && namespace.isClean) this.#spare.push(namespace);
    else namespace.kill();
    this.#onReady();
  }

  #refill(): void {
    while (!this.#closed && this.#spare.length + this.#making < minSpares && this.#failure === null) {
      this.#making++;
      void this.#makeOne().finally(() => this.#onReady());
    }
  }

  async #makeOne(): Promise<void> {
    const environment = { PATH: '/usr/bin:/bin', [invocationVariable]: `${this.#launcher}.spare` };
    try {
      const namespace = await PidNamespace.make(this.#make, environment);
      if (this.#closed) namespace.kill();
      else this.#spare.push(namespace);
    } catch (error) {
      this.#failure = (error as Error).message;
    }
    this.#making--;
  }
}

/** Enters a namespace by `nsenter`, and there leads a session as jobs do everywhere. */
function enterBy(nsenter: string, setsid: string, isRoot: boolean): Enter {
  const own = [...(isRoot ? [] : ['--user', '--preserve-credentials']), '--pid', '--mount'];
  return (init, { directory, identity }) => {
    const user = identity ? ['--setgid', String(identity.gid), '--setuid', String(identity.uid)] : [];
    return [nsenter, '--target', String(init), ...own, `--wdns=${directory}`, ...user, '--', setsid];
  };
}

class PidNamespaceSandbox implements Sandbox {
  /** The job has its own group inside, whose id is not known here. */
  readonly group = null;
  readonly remove: () => void;
  readonly #namespace: PidNamespace;
  readonly #enter: Enter;
  #job: ChildProcess | null = null;

  constructor(namespace: PidNamespace, enter: Enter, onRemoved: () => void) {
    this.#namespace = namespace;
    this.#enter = enter;
    this.remove = onRemoved;
  }

  start(program: Program, stdio: JobStdio): ChildProcess {
    this.#job = spawnProgram(startedBy(this.#enter(this.#namespace.init, program), program), stdio);
    return this.#job;
  }

  members(table: ProcessTable): readonly ProcessEntry[] {
    return this.#namespace.members(table);
  }

  isEmpty(): boolean {
    if (this.#namespace.hasEnded) return true;
    const isRunning = this.#job?.pid !== undefined && this.#job.exitCode === null && this.#job.signalCode === null;
    return !isRunning && this.#namespace.isClean;
  }

  usage(): null {
    return null;
  }

  kill(): void {
    this.#namespace.kill();
  }
}
