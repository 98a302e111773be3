import '#core/node-version';
import { runFolder, TestPostgres } from '../store/test-postgres.ts';

let postgres: TestPostgres | undefined;

/** Prepares one PostgreSQL for the whole run; its server starts when the first test needs a database. */
export async function mochaGlobalSetup(): Promise<void> {
  postgres = new TestPostgres();
  await postgres.ready();
  postgres.share();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await postgres?.close();
}

export const mochaHooks = {
  beforeAll(): void {
    const folder = runFolder();
    if (folder) leaveCallersEnvironment(folder);
  },
};

/** The variables that tests may see: where programs are found, and the options of the run itself. */
const allowed = /^(?:PATH|TMPDIR|TERM|(?:SIM|KILL|FUZZ)_SEED|HORARIUM_TEST_\w+|MOCHA_\w+|NODE_\w+)$/;

/**
 * Runs the tests of this process in a folder of their own and without the caller's environment, so that they pass
 * whatever the caller has set, started or left behind in the checkout.
 */
function leaveCallersEnvironment(folder: string): void {
  for (const name of Object.keys(process.env)) if (!allowed.test(name)) delete process.env[name];
  process.env['HOME'] = folder;
  process.chdir(folder);
}
