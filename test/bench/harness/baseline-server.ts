import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BaselineKind } from './baseline-program.ts';

const program = fileURLToPath(new URL('./baseline-program.js', import.meta.url));

/** A server that Horarium is compared with, in a process of its own. */
export class BaselineServer implements AsyncDisposable {
  readonly pid: number;
  readonly origin: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.pid = process.pid as number;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** @param record the JSON that the server responds with to every GET. */
  static start(kind: BaselineKind, record: object): Promise<BaselineServer> {
    // The log goes to /dev/null, like that of Horarium: the server formats and writes it.
    const child = fork(program, [kind], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    child.send(record);
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The baseline server exited with ${code}.`)));
      child.once('message', (port: number) => resolve(new BaselineServer(child, port)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process that has ended by itself emits no further event.
    if (!this.#process.connected) return;
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.disconnect();
    await exited;
  }
}
