import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Milliseconds, Semaphore } from '@horarium/core';

/** How long the thread waits for the next checkpoint before it ends. */
const maxIdle: Milliseconds = 10_000;

/**
 * Makes checkpoints of a file in a thread with a connection of its own, because each waits for the disk several times:
 * the process answers requests meanwhile, and may write. The thread starts with the first one.
 */
export class CheckpointThread {
  readonly #file: string;
  readonly #turn = new Semaphore(1);
  #worker: Worker | null = null;
  #end: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Copies the pages of the write-ahead log into the file, up to the oldest that a reader needs.
   * @throws the error of SQLite.
   */
  async checkpoint(): Promise<void> {
    await this.#turn.acquire();
    clearTimeout(this.#end);
    try {
      this.#worker ??= startWorker(this.#file);
      this.#worker.ref();
      this.#worker.postMessage(null);
      await once(this.#worker, 'message');
      this.#worker.unref();
      this.#end = setTimeout(() => this.close(), maxIdle).unref();
    } catch (error) {
      this.#worker = null;
      throw error;
    } finally {
      this.#turn.release();
    }
  }

  /** Ends the thread after its checkpoint. */
  async close(): Promise<void> {
    await this.#turn.acquire();
    clearTimeout(this.#end);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#turn.release();
  }
}

function startWorker(file: string): Worker {
  const program = import.meta.resolve('#adapters/mikro-orm/dialects/sqlite/wal/checkpoint-program');
  const worker = new Worker(new URL(program), { workerData: file, env: {}, execArgv: [] });
  // An error between two checkpoints ends the thread; the next checkpoint starts another.
  return worker.on('error', () => undefined);
}
