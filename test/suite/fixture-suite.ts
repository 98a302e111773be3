import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';

/** The built helpers of tests, which the files of a fixture suite import. */
export const support = join(import.meta.dirname, '../support');

export interface FixtureRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A small suite of its own in a folder, for the tests of how the suite is run. */
export class FixtureSuite implements Disposable {
  readonly folder = temporaryFolder('suite');

  /**
   * @param files the text of each test file by its name without `.test.js`.
   * @param fixtures the text of a module that mocha requires first.
   */
  constructor(files: Readonly<Record<string, string>>, fixtures = '') {
    // PostgreSQL runs as another user, who must reach its files.
    chmodSync(this.folder, 0o711);
    mkdirSync(join(this.folder, 'tmp'));
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    for (const [name, content] of Object.entries(files)) writeFileSync(this.file(name), content);
    const required = join(this.folder, 'fixtures.js');
    writeFileSync(required, fixtures);
    writeFileSync(
      join(this.folder, 'mocharc.json'),
      JSON.stringify({ parallel: true, jobs: 2, timeout: 120_000, require: [required] }),
    );
  }

  file(name: string): string {
    return join(this.folder, `${name}.test.js`);
  }

  /** Starts `run-suite` on all files, as `.ci/run` does, with a folder for temporary files of its own. */
  start() {
    const line = [`${support}/run/run-suite.js`, `--config=${this.folder}/mocharc.json`, `${this.folder}/*.test.js`];
    const { PATH } = process.env;
    const options = {
      cwd: this.folder,
      env: { PATH, TMPDIR: join(this.folder, 'tmp'), HORARIUM_TEST_PATIENCE: '500' },
    };
    return spawn(process.execPath, line, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async run(): Promise<FixtureRun> {
    const started = this.start();
    const [out, err, [code]] = await Promise.all([text(started.stdout), text(started.stderr), once(started, 'close')]);
    return { code, out, err };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
