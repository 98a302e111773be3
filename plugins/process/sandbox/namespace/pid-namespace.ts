import { spawn } from 'node:child_process';
import { childrenOf, type ProcessEntry, type ProcessTable } from '../process-table.ts';
import { NamespaceInit } from './namespace-init.ts';

/**
 * The first process of a namespace, which holds it and waits for processes that have lost their parents. It begins with
 * a line, when `/proc` is mounted and it has a child, which sleeps.
 */
export const initScript = 'sleep 86400 & echo; while :; do wait $!; sleep 86400 & done';

/** A PID namespace that waits for attempts. */
export class PidNamespace {
  readonly #holder: number;
  readonly #init: NamespaceInit;
  /** The child that the first process has while nothing else is inside. */
  readonly #sleeper: number | undefined;

  /** @throws Error where the namespace has ended at once. */
  private constructor(holder: number) {
    this.#holder = holder;
    const [init] = childrenOf(holder);
    if (init === undefined) throw new Error('the PID namespace ended at once');
    this.#init = new NamespaceInit(init);
    this.#sleeper = childrenOf(init)[0];
  }

  /**
   * Makes a namespace.
   * @param command the command that makes it and runs its first process.
   * @throws Error with what the command says.
   */
  static async make(command: readonly [string, ...string[]], environment: NodeJS.ProcessEnv): Promise<PidNamespace> {
    const [file, ...words] = command;
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const holder = spawn(file, words, { cwd: '/', detached: true, env: environment, stdio });
    let error = '';
    holder.stderr.on('data', (text: Buffer) => {
      error += text;
    });
    await new Promise<void>((resolve, reject) => {
      holder.once('error', reject);
      holder.stdout.once('data', () => resolve());
      holder.once('close', (code) => reject(new Error(error.trim() || `unshare ended with exit code ${code}`)));
    });
    holder.stdout.destroy();
    holder.stderr.destroy();
    holder.unref();
    return new PidNamespace(holder.pid as number);
  }

  get init(): number {
    return this.#init.pid;
  }

  get hasEnded(): boolean {
    return this.#init.hasEnded;
  }

  /**
   * Whether no process is inside but those that hold it. Every other one is a child of the first process or has such an
   * ancestor, unless its parent, which entered from outside, still lives.
   */
  get isClean(): boolean {
    const children = childrenOf(this.#init.pid);
    return !this.hasEnded && children.length === 1 && children[0] === this.#sleeper;
  }

  /** The living processes inside, but for those that hold it. */
  members(table: ProcessTable): ProcessEntry[] {
    return this.#init.members(table).filter(({ session }) => session !== this.#holder);
  }

  kill(): void {
    this.#init.kill();
  }
}
