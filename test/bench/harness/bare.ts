import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BareKind } from './bare-server.ts';

const program = fileURLToPath(new URL('./bare-server.js', import.meta.url));

/** One of the servers that Horarium is compared with, in a process of its own. */
export class BaselineServer implements AsyncDisposable {
  readonly pid: number;
  readonly origin: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.pid = process.pid as number;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** @param record what it answers with */
  static start(kind: BareKind, record: object): Promise<BaselineServer> {
    // What it logs goes where Horarium's log goes as well: nowhere, but all the way there.
    const child = fork(program, [kind], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    child.send(record);
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The bare server ended with ${code}.`)));
      child.once('message', (port: number) => resolve(new BaselineServer(child, port)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.disconnect();
    await gone;
  }
}
