import { once } from 'node:events';
import { chmodSync, type FSWatcher, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A job that has begun. */
interface BegunJob {
  readonly id: number;
  /** When its program ran, by `performance.now()`. */
  readonly at: number;
}

/** Jobs in processes of any machine, each of which makes a file when it begins: the kernel tells of it at once. */
export class MarkingJobs implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'horarium-bench-marks-'));
  readonly #watcher: FSWatcher;
  readonly #begun: BegunJob[] = [];

  constructor() {
    // Agents run as another user.
    chmodSync(this.#folder, 0o777);
    this.#watcher = watch(this.#folder, (type, file) => {
      if (type === 'rename') this.#begun.push({ id: Number(file), at: performance.now() });
    });
  }

  /** The executable of their App with its arguments. @param then what they do besides. */
  program(then = ':') {
    return {
      executable: '/bin/sh',
      arguments: ['-c', `: > "$0/$HORARIUM_JOB_ID"; ${then}`, this.#folder],
    };
  }

  /** Waits for a job that has begun and was not returned before. */
  async next(): Promise<BegunJob> {
    for (;;) {
      const begun = this.#begun.shift();
      if (begun) return begun;
      await once(this.#watcher, 'change');
    }
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
    rmSync(this.#folder, { recursive: true });
  }
}
