import fs from 'node:fs';
import { promisify } from 'node:util';
import { StoreUnavailable } from '@horarium/core';

/**
 * Waits until the disk has what was written to the write-ahead log, while the thread goes on: SQLite would stop it.
 * All who have written by the time a flush begins share it.
 */
export class WalFlush {
  readonly #path: string;
  #descriptor: number | null = null;
  #running: Promise<void> | null = null;
  /** What begins once the running one has ended; it may have begun before the last write. */
  #next: Promise<void> | null = null;
  #failure: StoreUnavailable | null = null;

  /** @param file of the database. */
  constructor(file: string) {
    this.#path = `${file}-wal`;
  }

  /** Resolves once the disk has all that was written before the last call of `flush`; null = it has. */
  get pending(): Promise<void> | null {
    return this.#next ?? this.#running;
  }

  /**
   * Asserts that no flush has failed: the kernel forgets pages that it could not write, so what was committed since
   * the last flush may or may not be on the disk.
   * @throws StoreUnavailable
   */
  assertWorking(): void {
    if (this.#failure) throw this.#failure;
  }

  /**
   * Resolves once the disk has all that was written before the call.
   * @throws StoreUnavailable where the disk fails.
   */
  flush(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#start();
    this.#next = this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = null;
    const flushed = this.#flush();
    this.#running = flushed;
    return flushed;
  }

  async #flush(): Promise<void> {
    try {
      // The log has no locks: closing a descriptor of the database itself would release those that SQLite has on it.
      this.#descriptor ??= fs.openSync(this.#path, 'r+');
      await promisify(fs.fdatasync)(this.#descriptor);
    } catch (error) {
      const reason = `${this.#path} could not be written to the disk: ${(error as Error).message}`;
      this.#failure = new StoreUnavailable(
        `The SQLite database cannot be used until the service is restarted: ${reason}`,
      );
      throw this.#failure;
    }
    this.#running = null;
  }

  /** Closes the log, after the last flush. */
  async close(): Promise<void> {
    await this.pending?.catch(() => undefined);
    if (this.#descriptor !== null) fs.closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
