import { expect } from 'chai';
import { createDatabase } from '../store/test-postgres.ts';
import { TestCli } from './test-cli.ts';

/** The databases that commands are tested on, each with a function that opens a command line on a new store there. */
export const cliDatabases = [
  { database: 'SQLite', openCli: () => migrated(new TestCli()) },
  { database: 'PostgreSQL', openCli: async () => migrated(new TestCli(await createDatabase())) },
] as const;

async function migrated(cli: TestCli): Promise<TestCli> {
  const { code, err } = await cli.command('migrate');
  expect([code, err]).to.deep.equal([0, '']);
  return cli;
}
