import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { createDatabase, TestPostgres } from '../../support/store/test-postgres.ts';
import type { BenchDatabase, DatabaseName } from '../harness/databases.ts';
import { endProcessesOf } from './process-group.ts';

/** An address of an empty database, which a service of any commit can migrate. */
export type EmptyDatabase = Pick<BenchDatabase, 'url' | 'synchronous'>;

/** What the measurements of one run share: a folder, a PostgreSQL server, and the signal that interrupts them. */
export class PairsContext implements AsyncDisposable {
  /** Holds all that the run writes. Every program of another checkout has the path in its environment. */
  readonly folder: string;
  readonly signal: AbortSignal;
  #postgres: TestPostgres | null = null;

  constructor(signal: AbortSignal) {
    this.folder = temporaryFolder('pairs-run');
    // PostgreSQL runs as another user when this user is root.
    chmodSync(this.folder, 0o711);
    this.signal = signal;
  }

  async emptyDatabase(name: DatabaseName): Promise<EmptyDatabase> {
    this.signal.throwIfAborted();
    const synchronous = name === 'SQLite NORMAL' ? 'normal' : 'full';
    if (name !== 'PostgreSQL')
      return { url: `sqlite:${join(mkdtempSync(join(this.folder, 'store-')), 'horarium.sqlite')}`, synchronous };
    // The server reads it when it starts.
    process.env['HORARIUM_TEST_FSYNC'] = 'on';
    this.#postgres ??= new TestPostgres();
    return { url: await createDatabase({ server: await this.#postgres.start() }), synchronous };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#postgres?.close();
    await endProcessesOf(this.folder);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
