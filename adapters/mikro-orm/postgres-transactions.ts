import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Runner } from './sql-dialect.ts';
import type { Transactions } from './sql-store.ts';

/** Transactions side by side, each on a connection of its own. */
export class PostgresTransactions implements Transactions {
  readonly oneAtATime = false;
  readonly #kysely: Kysely<unknown>;

  constructor(kysely: Kysely<unknown>) {
    this.#kysely = kysely;
  }

  run<T>(readOnly: boolean, work: (runner: Runner) => Promise<T>): Promise<T> {
    const transaction = this.#kysely.transaction();
    // Readers see one moment throughout, as they do in the stores that run one transaction at a time.
    const begun = readOnly ? transaction.setIsolationLevel('repeatable read').setAccessMode('read only') : transaction;
    return begun.execute((open) => work(runnerOf(open)));
  }
}

function runnerOf(open: Transaction<unknown>): Runner {
  const run = async (sql: string, parameters: readonly unknown[]) => {
    const answer = await open.executeQuery(CompiledQuery.raw(sql, [...parameters]));
    return { rows: answer.rows as Record<string, unknown>[], affected: Number(answer.numAffectedRows ?? 0) };
  };
  return {
    run,
    // The transactions that count as ended, and so all that can be seen: what a server knows that was started later
    // may be another history, from a backup.
    state: async () => {
      const { rows } = await run(
        'select pg_postmaster_start_time()::text || pg_current_snapshot()::text as "state"',
        [],
      );
      return rows[0]?.['state'] as string;
    },
  };
}
