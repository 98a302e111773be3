import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { removeUnusedClocks } from '../run/unused-clocks.ts';

/** The path of libfaketime, which comes from the operating system; undefined = tests that need it are skipped. */
export const libfaketime = process.env['HORARIUM_TEST_LIBFAKETIME'];

/** The time of day of real processes, which a test sets ahead or back while they run; their monotonic time stays right. */
export class FakedClock implements Disposable {
  readonly #folder = temporaryFolder('clock');
  readonly #file = join(this.#folder, 'time');

  constructor() {
    // PostgreSQL runs as another user, who must reach the file.
    chmodSync(this.#folder, 0o755);
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
    writeFileSync(this.#file, `+${ahead}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
    removeUnusedClocks();
  }
}
