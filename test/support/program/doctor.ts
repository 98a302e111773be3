import type { Store } from '@horarium/core';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import type { TestCli } from './test-cli.ts';

/** What a check of `doctor` found, as its JSON shows it. */
export interface CheckedRow {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string;
}

/** Runs `doctor`. `of` returns the rows of one check. */
export async function runDoctor(cli: TestCli, environment: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await cli.command('doctor --format json', { environment });
  const rows: readonly CheckedRow[] = JSON.parse(out);
  return { code, out, err, rows, of: (name: string) => rows.filter(({ check }) => check === name) };
}

/** Writes into the store of a command line, past the commands. */
export async function changeStore(cli: TestCli, change: (store: Store) => Promise<unknown>): Promise<void> {
  await using store = await openStore({ url: cli.environment['HORARIUM_DATABASE_URL'] as string });
  await change(store);
}
