import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { markProcesses } from './process-mark.ts';

/** The variable that tells the processes of a run where its folder is. */
const variable = 'HORARIUM_TEST_FOLDER';

/**
 * One run of the tests. Its temporary files are in a folder of its own, and its processes have a mark; a keeper ends and
 * removes them when the run ends, also when this process is killed.
 */
export class TestRun {
  readonly #keeper: ChildProcess;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'horarium-'));
    // Jobs and servers that run as other users have files in it, as in the system's folder.
    chmodSync(folder, 0o1777);
    // In a group of its own, so that Ctrl-C does not end it before it has tidied up.
    const line = [`${import.meta.dirname}/run-keeper.js`, folder, String(markProcesses())];
    this.#keeper = spawn(process.execPath, line, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#keeper.unref();
    for (const stream of [this.#keeper.stdin, this.#keeper.stdout]) (stream as unknown as { unref(): void }).unref();
    process.env[variable] = process.env['TMPDIR'] = folder;
  }

  /** Ends what still runs and removes what is left. @returns what the tests should have ended or removed themselves. */
  async end(): Promise<readonly string[]> {
    this.#keeper.ref();
    this.#keeper.stdin?.end();
    return JSON.parse(await text(this.#keeper.stdout as NodeJS.ReadableStream));
  }
}

/** The folder that is removed when this test run ends; undefined where a test file is run by itself. */
export function runFolder(): string | undefined {
  return process.env[variable];
}
