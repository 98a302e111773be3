import '#core/node-version';
import { runFolder, TestPostgres } from '../store/test-postgres.ts';
import { leaveCallersEnvironment } from './own-environment.ts';

let postgres: TestPostgres | undefined;

/** Starts one PostgreSQL for the whole run; its server starts when the first test asks for a database. */
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
