import { TestPostgres } from './postgres.ts';

let postgres: TestPostgres | undefined;

/** One PostgreSQL for the whole run: it is started when the first test asks for a database. */
export async function mochaGlobalSetup(): Promise<void> {
  postgres = new TestPostgres();
  await postgres.ready();
  postgres.share();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await postgres?.close();
}
