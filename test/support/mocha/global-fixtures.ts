import '#core/node-version';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { bundleHost, isHostBundled } from '../packages/bundle-host.ts';
import { runFolder, TestRun } from '../run/test-run.ts';
import { TestPostgres } from '../store/test-postgres.ts';
import { endChildren, removeFiles } from './left-behind.ts';

let run: TestRun | undefined;
let postgres: TestPostgres | undefined;

/**
 * Prepares the program of the service as it is compiled now, a folder and one PostgreSQL for the whole run; its server starts
 * when the first test needs a database.
 */
export async function mochaGlobalSetup(): Promise<void> {
  // Writing it takes a second, and services that start meanwhile may find files of two builds.
  if (!isHostBundled()) await bundleHost();
  run = new TestRun();
  postgres = new TestPostgres();
  await postgres.ready();
  postgres.share();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await postgres?.close();
  const left = (await run?.end()) ?? [];
  if (left.length > 0) throw new Error(`The tests leave behind:\n${left.join('\n')}`);
}

export const mochaHooks = {
  beforeAll(): void {
    // Mocha passes rejections on to other listeners, and its workers have none.
    process.on('unhandledRejection', fail);
    const folder = runFolder();
    if (folder) leaveCallersEnvironment(folder);
  },
  beforeEach: refuseNestedTests,
  afterAll: [endChildren, removeFiles],
};

/** Makes a test fail that defines further ones, which Mocha would never run. */
function refuseNestedTests(): void {
  const refuse = () => {
    throw new Error('A test is defined inside another one, so that it never runs.');
  };
  Object.assign(globalThis, { describe: refuse, it: refuse });
}

function fail(reason: unknown): never {
  throw reason;
}

/** The variables that tests may see: where programs are found, and the options of the run itself. */
const allowed = /^(?:PATH|TMPDIR|TERM|(?:SIM|KILL|FUZZ)_SEED|HORARIUM_TEST_\w+|MOCHA_\w+|NODE_\w+)$/;

/**
 * Runs the tests of this process in a folder of their own and without the caller's environment, so that they pass
 * whatever the caller has set, started or left behind in the checkout. Each file has a folder for temporary files.
 */
function leaveCallersEnvironment(folder: string): void {
  for (const name of Object.keys(process.env)) if (!allowed.test(name)) delete process.env[name];
  process.env['HOME'] = folder;
  process.env['TMPDIR'] = mkdtempSync(join(folder, 'f'));
  chmodSync(process.env['TMPDIR'], 0o1777);
  process.chdir(folder);
}
