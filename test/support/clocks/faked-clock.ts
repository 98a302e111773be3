import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { processesWith } from '../program/processes.ts';
import { runFolder } from '../store/test-postgres.ts';

/** The path of libfaketime, which comes from the operating system; undefined = tests that need it are skipped. */
export const libfaketime = process.env['HORARIUM_TEST_LIBFAKETIME'];

/** The time of day of real processes, which a test sets ahead or back while they run; their monotonic time stays right. */
export class FakedClock implements Disposable {
  readonly #folder = temporaryFolder('clock');
  readonly #file = join(this.#folder, 'time');
  readonly #processes = new Set<number>();

  constructor() {
    // PostgreSQL runs as another user, who must reach the file.
    chmodSync(this.#folder, 0o755);
    const parent = runFolder();
    if (parent) chmodSync(parent, 0o711);
    this.set(0);
  }

  /** The environment of a process that has this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: libfaketime as string,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Sets the clock that many seconds ahead of the real time. */
  set(ahead: number): void {
    for (const pid of processesWith(this.#file)) this.#processes.add(pid);
    writeFileSync(this.#file, `+${ahead}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
    // The library leaves what a process that is killed shares with its children.
    for (const pid of this.#processes)
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
        rmSync(join('/dev/shm', name), { force: true });
  }
}
